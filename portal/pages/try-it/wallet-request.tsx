import { Box, Button, Flex, Stack, Text } from '@mantine/core'
import { ExternalLink, Smartphone } from 'lucide-react'
import { encode } from 'uqr'
import { settings } from '../../settings/settings.ts'

const WAITING = settings.simulatorUrl
  ? 'Waiting for a wallet: open the simulator, or scan the code.'
  : 'Waiting for a wallet: scan the code, or open one on this device.'

/** Shows a request for a wallet as a QR code and as links. */
export function WalletRequest({ link, isSeen }: { link: string; isSeen: boolean }) {
  return (
    <Stack component="section" aria-label="Request">
      <Text role="status" fw={650}>
        {isSeen ? 'A wallet has the request. Approve it there.' : WAITING}
      </Text>
      {!isSeen && (
        // On a phone the links come first, since a phone cannot scan its own screen.
        <Flex direction={{ base: 'column', sm: 'row-reverse' }} justify="flex-end" gap="xl">
          <WalletLinks link={link} />
          <QrCode text={link} />
        </Flex>
      )}
    </Stack>
  )
}

function WalletLinks({ link }: { link: string }) {
  const { simulatorUrl } = settings
  return (
    <Stack align="flex-start">
      {simulatorUrl && (
        <>
          <Button
            component="a"
            href={`${simulatorUrl}/?${new URLSearchParams({ connect_url: link })}`}
            target="_blank"
            rel="noopener"
            leftSection={<ExternalLink aria-hidden size={16} />}
          >
            Open the simulator
          </Button>
          <Text size="sm" c="dimmed">
            In the simulator, choose which simulated person answers.
          </Text>
        </>
      )}
      <Button
        component="a"
        href={link}
        rel="noreferrer"
        variant="default"
        leftSection={<Smartphone aria-hidden size={16} />}
      >
        Open a wallet on this device
      </Button>
    </Stack>
  )
}

/** Shows a QR code. It is dark on white in both colour schemes, because some cameras cannot read light on dark. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 0 })
  const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <Box bg="#fff" p="md" w={260} maw="100%" style={{ borderRadius: 'var(--corner)' }}>
      <svg
        role="img"
        aria-label="QR code of the request"
        viewBox={`0 0 ${size} ${size}`}
        shapeRendering="crispEdges"
        style={{ display: 'block' }}
      >
        <path d={squares.join('')} fill="#000" />
      </svg>
    </Box>
  )
}

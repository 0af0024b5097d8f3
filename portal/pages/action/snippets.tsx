import { Stack, Tabs, Text, Title } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { hasSimulator } from './has-simulator.ts'
import { curlFor, PAGE_COMMANDS, serversFor, simulateCommand, widgetPage } from './programs-3.ts'
import { Snippets4 } from './snippets-4.tsx'
import { ProgramFile, WebsitePrograms } from './website-programs.tsx'

type SnippetsProps = { action: string; protocol: string; credentials: readonly string[] }

/** Shows programs that get and verify a proof for this action, with the protocols that the action accepts. */
export function Snippets({ action, protocol, credentials }: SnippetsProps) {
  if (protocol === '3.0') return <Snippets3 action={action} />
  if (protocol === '4.0') return <Snippets4 action={action} credentials={credentials} />
  return (
    <Tabs defaultValue="4.0" variant="outline">
      <Tabs.List mb="md">
        <Tabs.Tab value="4.0">Protocol 4.0</Tabs.Tab>
        <Tabs.Tab value="3.0">Protocol 3.0</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="4.0">
        <Snippets4 action={action} credentials={credentials} />
      </Tabs.Panel>
      <Tabs.Panel value="3.0">
        <Snippets3 action={action} />
      </Tabs.Panel>
    </Tabs>
  )
}

/** Shows programs for a proof of protocol 3.0. */
function Snippets3({ action }: { action: string }) {
  const { id: appId, is_staging } = useApp()
  const purpose = {
    appId,
    action,
    baseUrl: location.origin,
    bridgeUrl: is_staging ? settings.bridgeUrl : null,
  }
  return (
    <Stack>
      <WebsitePrograms
        page={{ text: widgetPage(purpose), commands: PAGE_COMMANDS }}
        servers={serversFor(purpose)}
      />
      <Title order={2} size="h4">
        A try with curl
      </Title>
      <Text>
        This program verifies a result of the widget that you have saved as proof.json. Without
        OpenSSL 3.2, it accepts only an empty signal.
      </Text>
      {hasSimulator(is_staging) && (
        <>
          <Text>In the platform’s folder, this command makes a proof of a simulated person:</Text>
          <CodeBlock text={simulateCommand(purpose)} label="proof of a simulated person" />
        </>
      )}
      <ProgramFile program={curlFor(purpose)} />
    </Stack>
  )
}

import { Anchor, Stack, Text } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { CodeBlock } from '../../components/code-block.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { hasSimulator } from './has-simulator.ts'
import { pageProgram, serverProgram, simulateCommand } from './programs-4.ts'

/** Shows programs that get and verify a proof of protocol 4.0 for this action. */
export function Snippets4({ action }: { action: string }) {
  const { id: appId, team_id: teamId, rp_id: rpId, is_staging } = useApp()
  const purpose = {
    appId,
    rpId,
    action,
    baseUrl: location.origin,
    bridgeUrl: is_staging ? settings.bridgeUrl : null,
  }
  return (
    <Stack>
      <Text>
        Your website gets the proof from the person’s wallet. This page does it with IDKit 4 in
        React:
      </Text>
      <CodeBlock text={pageProgram(purpose)} label="page with IDKit 4" />
      <Text>
        Your server signs each request, and asks the platform to verify the result. It needs the
        private key of the request signing key in the variable SIGNING_KEY. You create the key on{' '}
        <Anchor component={Link} to={generatePath(PAGE_PATHS.app, { teamId, appId })}>
          the page of the app
        </Anchor>
        .
      </Text>
      <CodeBlock text={serverProgram(purpose)} label="server in Node" />
      {hasSimulator(is_staging) && (
        <>
          <Text>
            To try the platform without a website, make and verify a proof of a simulated person in
            the platform’s folder:
          </Text>
          <CodeBlock text={simulateCommand(purpose)} label="proof of a simulated person" />
        </>
      )}
    </Stack>
  )
}

import { Anchor, Stack, Text } from '@mantine/core'
import { generatePath, Link } from 'react-router'
import { CREDENTIAL_NAMES } from '../../../lib/proof/protocol-4/credentials.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { hasSimulator } from './has-simulator.ts'
import { PAGE_COMMANDS_4, pageProgram, serverFor, simulateCommand } from './programs-4.ts'
import { WebsitePrograms } from './website-programs.tsx'

type Snippets4Props = { action: string; credentials: readonly string[] }

/** Shows programs that get and verify a proof of protocol 4.0 for this action, with the first credential that it accepts. */
export function Snippets4({ action, credentials }: Snippets4Props) {
  const { id: appId, team_id: teamId, rp_id: rpId, is_staging } = useApp()
  const purpose = {
    appId,
    rpId,
    action,
    credential: CREDENTIAL_NAMES.find((name) => credentials.includes(name)) ?? 'proof_of_human',
    baseUrl: location.origin,
    bridgeUrl: is_staging ? settings.bridgeUrl : null,
  }
  return (
    <Stack>
      <WebsitePrograms
        page={{ text: pageProgram(purpose), commands: PAGE_COMMANDS_4 }}
        servers={[serverFor(purpose)]}
      >
        <Text>
          The server also signs each request of the page. Set the variable SIGNING_KEY to the
          private key of the request signing key. You create the key on{' '}
          <Anchor component={Link} to={generatePath(PAGE_PATHS.app, { teamId, appId })}>
            the page of the app
          </Anchor>
          .
        </Text>
      </WebsitePrograms>
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

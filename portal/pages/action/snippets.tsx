import { Stack, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { hasSimulator } from './has-simulator.ts'
import { shellQuoted } from './shell-quoted.ts'
import { snippetsOf, widgetSnippet } from './snippet-texts.ts'
import { Snippets4 } from './snippets-4.tsx'

const SNIPPETS = snippetsOf('verify')

const SIMULATE =
  'npm run --silent simulate -- --app "$APP_ID" --action "$ACTION" --identity bob > proof.json'

type SnippetsProps = { action: string; protocol: string }

/** Shows programs that get and verify a proof for this action, with the protocols that the action accepts. */
export function Snippets({ action, protocol }: SnippetsProps) {
  if (protocol === '3.0') return <Snippets3 action={action} />
  if (protocol === '4.0') return <Snippets4 action={action} />
  return (
    <Tabs defaultValue="4.0" variant="outline">
      <Tabs.List mb="md">
        <Tabs.Tab value="4.0">Protocol 4.0</Tabs.Tab>
        <Tabs.Tab value="3.0">Protocol 3.0</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="4.0">
        <Snippets4 action={action} />
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
  const bridgeUrl = is_staging ? settings.bridgeUrl : null
  const variables = `export BASE_URL=${location.origin} \\
  APP_ID=${appId} ACTION=${shellQuoted(action)} SIGNAL=''`
  return (
    <Stack>
      <Text>
        Your website gets the proof from the person’s wallet. This page does it with IDKit in React:
      </Text>
      <CodeBlock text={widgetSnippet({ appId, action, bridgeUrl })} label="page with IDKit" />
      <Text>
        The page sends the proof to your server, and your server asks the platform to verify it. The
        programs below read the proof from standard input and the rest from these variables:
      </Text>
      <CodeBlock text={variables} label="variables" />
      {hasSimulator(is_staging) && (
        <>
          <Text>
            To try a program, make a proof of a simulated person in the platform’s folder. Then run
            the program with this proof, such as “sh verify.sh &lt; proof.json”:
          </Text>
          <CodeBlock text={SIMULATE} label="proof of a simulated person" />
        </>
      )}
      <Tabs defaultValue={SNIPPETS[0]?.language ?? null}>
        <Tabs.List mb="md">
          {SNIPPETS.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SNIPPETS.map(({ language, text }) => (
          <Tabs.Panel key={language} value={language}>
            <CodeBlock text={text} label={`${language} program`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  )
}

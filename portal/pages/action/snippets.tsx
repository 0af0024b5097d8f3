import { Stack, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../components/code-block.tsx'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { snippetsOf, widgetSnippet } from './snippet-texts.ts'

const SNIPPETS = snippetsOf('verify')

/** Shows programs that get and verify a proof for this action. */
export function Snippets({ action }: { action: string }) {
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

function shellQuoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

import calls from '../../../docs/calls.md?raw'
import widget from '../../../examples/idkit/page.jsx?raw'

/** A program in one language. */
export type Snippet = { language: string; text: string }

const LANGUAGES = [
  { language: 'curl', fence: 'sh' },
  { language: 'Node', fence: 'js' },
  { language: 'Python', fence: 'python' },
  { language: 'Go', fence: 'go' },
]

/** The programs of docs/calls.md for a call, which a test runs as they stand there. */
export function snippetsOf(call: string): Snippet[] {
  return LANGUAGES.flatMap(({ language, fence }) => {
    const [, text] = calls.split(`\n\`\`\`${fence} ${call}\n`)
    return text === undefined ? [] : [{ language, text: text.slice(0, text.indexOf('\n```')) }]
  })
}

type Purpose = {
  appId: string
  action: string
  /** Where simulated people answer; null for real people, whose wallets know another. */
  bridgeUrl: string | null
}

/** The page of examples/idkit with IDKit's widget, which a test runs in a browser, made for an action. */
export function widgetSnippet({ appId, action, bridgeUrl }: Purpose): string {
  const constants = `
const APP_ID = ${JSON.stringify(appId)}
const ACTION = ${JSON.stringify(action)}
// A text that the person confirms with the proof. Your server must expect the same text.
const SIGNAL = ''
`
  const bridge = bridgeUrl === null ? '' : `        bridge_url=${JSON.stringify(bridgeUrl)}\n`
  return widget
    .replace(/^import .* from '\.\/app\.mjs'\n/m, () => constants)
    .replace(/^ *bridge_url=.*\n/m, () => bridge)
    .trim()
}

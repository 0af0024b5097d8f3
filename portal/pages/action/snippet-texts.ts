import calls from '../../../docs/calls.md?raw'
import widget from '../../../examples/idkit/page-2.jsx?raw'

/** An example program, and its language. */
export type Snippet = { language: string; text: string }

const LANGUAGES = [
  { language: 'curl', fence: 'sh' },
  { language: 'Node', fence: 'js' },
  { language: 'Python', fence: 'python' },
  { language: 'Go', fence: 'go' },
]

/** Returns the programs of docs/calls.md for a call. A test runs them unchanged. */
export function snippetsOf(call: string): Snippet[] {
  return LANGUAGES.flatMap(({ language, fence }) => {
    const [, text] = calls.split(`\n\`\`\`${fence} ${call}\n`)
    return text === undefined ? [] : [{ language, text: text.slice(0, text.indexOf('\n```')) }]
  })
}

type Purpose = {
  appId: string
  action: string
  /** The wallet bridge for simulated people. Null for real people, because their wallets use World's bridge. */
  bridgeUrl: string | null
}

/** Returns the page of examples/idkit with IDKit 2, adapted to an action. A test runs the example in a browser. */
export function widgetSnippet({ appId, action, bridgeUrl }: Purpose): string {
  const constants = `
const APP_ID = ${JSON.stringify(appId)}
const ACTION = ${JSON.stringify(action)}
// A text that the person confirms with the proof. Your server must expect the same text.
const SIGNAL = ''
`
  const bridge = bridgeUrl === null ? '' : `        bridge_url=${JSON.stringify(bridgeUrl)}\n`
  return widget
    .replace(
      /^.*\n(import .* from) 'idkit-2'\n/,
      "$1 '@worldcoin/idkit' // npm install @worldcoin/idkit@2\n",
    )
    .replace(/^import .* from '\.\/app\.mjs'\n/m, () => constants)
    .replace(/^ *bridge_url=.*\n/m, () => bridge)
    .trim()
}

import widget from '../../../examples/idkit/page-2.jsx?raw'
import goServer from '../../../examples/verify/main.go?raw'
import nodeServer from '../../../examples/verify/server.mjs?raw'
import pythonServer from '../../../examples/verify/server.py?raw'
import curlProgram from '../../../examples/verify/verify.sh?raw'
import { shellQuoted } from './shell-quoted.ts'

/** A program, and the shell commands that install its packages, set its variables and start it. */
export type Program = { language: string; file: string; text: string; commands: string }

type Purpose = {
  appId: string
  action: string
  /** The address of this platform. */
  baseUrl: string
  /** The wallet bridge for simulated people. Null for real people, because their wallets use World's bridge. */
  bridgeUrl: string | null
}

/** The commands that build the page with IDKit 2 into the folder `dist`. A test compares the versions with npm's packages. */
export const PAGE_COMMANDS = `npm install @worldcoin/idkit@2.4.2 react@19 react-dom@19 vite@8
npx vite build`

/** Returns the page of examples/idkit with IDKit 2, adapted to an action. A test runs the page in a browser. */
export function widgetPage({ appId, action, bridgeUrl }: Omit<Purpose, 'baseUrl'>): string {
  const constants = `
const APP_ID = ${JSON.stringify(appId)}
const ACTION = ${JSON.stringify(action)}
// A text that the person confirms with the proof. Your server must expect the same text.
const SIGNAL = ''
`
  const bridge = bridgeUrl === null ? '' : `        bridge_url=${JSON.stringify(bridgeUrl)}\n`
  return widget
    .replace(/^.*\n(import .* from) 'idkit-2'\n/, "$1 '@worldcoin/idkit'\n")
    .replace(/^import .* from '\.\/app\.mjs'\n/m, () => constants)
    .replace(/^ *bridge_url=.*\n/m, () => bridge)
    .replace("'/verify-2'", "'/verify'")
    .trim()
}

/** Returns the servers of examples/verify, which serve the page and verify its proofs. A test runs them with the page. */
export function serversFor(purpose: Purpose): Program[] {
  const variables = `${variablesForServer(purpose)} PORT=3005`
  return [
    {
      language: 'Node',
      file: 'server.mjs',
      text: nodeServer.trim(),
      commands: `npm install express@5 @worldcoin/idkit-core@2.1.0\n${variables}\nnode server.mjs`,
    },
    {
      language: 'Python',
      file: 'server.py',
      text: pythonServer.trim(),
      commands: `python3 -m venv .venv && . .venv/bin/activate
pip install flask pycryptodome
${variables}
python3 server.py`,
    },
    {
      language: 'Go',
      file: 'main.go',
      text: goServer.trim(),
      commands: `go mod init website && go get golang.org/x/crypto/sha3\n${variables}\ngo run .`,
    },
  ]
}

/** Returns the program of docs/calls.md that verifies a result of the widget with curl. */
export function curlFor(purpose: Purpose): Program {
  const commands = `${variablesForServer(purpose)}\nsh verify.sh < proof.json`
  return { language: 'curl', file: 'verify.sh', text: curlProgram.trim(), commands }
}

/** Returns the command that makes a proof of a simulated person. */
export function simulateCommand({ appId, action }: { appId: string; action: string }): string {
  return `npm run --silent simulate -- --app ${appId} --action ${shellQuoted(action)} --identity bob > proof.json`
}

function variablesForServer({ baseUrl, appId, action }: Purpose): string {
  return `export BASE_URL=${baseUrl} \\
  APP_ID=${appId} ACTION=${shellQuoted(action)} SIGNAL=''`
}

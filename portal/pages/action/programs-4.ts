import page from '../../../examples/idkit/page.jsx?raw'
import server from '../../../examples/verify/server-4.mjs?raw'
import { CREDENTIALS, type CredentialName } from '../../../lib/proof/protocol-4/credentials.ts'
import type { Program } from './programs-3.ts'
import { shellQuoted } from './shell-quoted.ts'

type Purpose = {
  appId: string
  rpId: string
  action: string
  /** The credential to request, which the action accepts. */
  credential: CredentialName
  /** The address of this platform. */
  baseUrl: string
  /** The wallet bridge for simulated people. Null for real people, because their wallets use World's bridge. */
  bridgeUrl: string | null
}

/** Returns the page of examples/idkit with IDKit 4, for an action of protocol 4.0. A test runs the page in a browser. */
export function pageProgram({ appId, action, credential, bridgeUrl }: Purpose): string {
  const constants = `
const APP_ID = ${JSON.stringify(appId)}
const ACTION = ${JSON.stringify(action)}
// A text that the person confirms with the proof. Your server must expect the same text.
const SIGNAL = ''
`
  const bridge = bridgeUrl === null ? '' : `          bridge_url=${JSON.stringify(bridgeUrl)}\n`
  return page
    .replace(/^import .* from '\.\/app\.mjs'\n/m, () => constants)
    .replace(/^ *bridge_url=.*\n/m, () => bridge)
    .replace(/allow_legacy_proofs.*/, 'allow_legacy_proofs={false}')
    .replace(
      /(preset|constraints)=.*/,
      `constraints={CredentialRequest('${credential}', { signal: SIGNAL })}`,
    )
    .trim()
}

/** The commands that build the page with IDKit 4 into the folder `dist`. A test compares the versions with npm's packages. */
export const PAGE_COMMANDS_4 = `npm install @worldcoin/idkit@4.2.3 react@19 react-dom@19 vite@8
npx vite build`

/** Returns a server that signs the requests of the page, and has the platform verify the results. A test runs the server. */
export function serverFor({ rpId, action, credential, baseUrl }: Purpose): Program {
  const commands = `npm install express@5 @worldcoin/idkit@4.2.3
export BASE_URL=${baseUrl} \\
  RP_ID=${rpId} ACTION=${shellQuoted(action)} SIGNAL='' SIGNING_KEY=0x… PORT=3005
node server.mjs`
  const text = server
    .trim()
    .replace("identifier: 'proof_of_human'", `identifier: '${credential}'`)
    .replace('issuer_schema_id: 1', `issuer_schema_id: ${CREDENTIALS[credential]}`)
  return { language: 'Node', file: 'server.mjs', text, commands }
}

/** Returns a command that makes and verifies a proof of a simulated person. A test runs the command. */
export function simulateCommand({ appId, rpId, action, credential, baseUrl }: Purpose): string {
  return `npm run --silent simulate -- --protocol 4.0 --app ${appId} --action ${shellQuoted(action)} --credential ${credential} --identity bob |
  curl -sS ${baseUrl}/api/v4/verify/${rpId} -H 'content-type: application/json' --data-binary @-`
}

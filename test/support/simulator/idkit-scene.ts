import { readFile } from 'node:fs/promises'
import {
  type ConstraintNode,
  CredentialRequest,
  IDKit,
  type IDKitCompletionResult,
  type IDKitResult,
  type Preset,
  signRequest,
} from '@worldcoin/idkit-core'
import { vi } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { addRequestKey } from '../clients/add-request-key.ts'
import { startWalletServer } from '../oidc/wallet-server.ts'
import type { TestPlatform } from '../webhooks/start-platform.ts'

const PRIVATE_KEY = `0x${'11'.repeat(32)}` as const

/** The action of the requests. */
export const ACTION = 'vote'

/** A request that idkit-core makes, and the person who answers it. `nobody` declines. */
type Request = {
  person?: string
  constraints?: ConstraintNode
  preset?: Preset
  allow_legacy_proofs?: boolean
  require_user_presence?: boolean
  /** True for a request with a code instead of a QR code. */
  hasCode?: boolean
  app_id?: `app_${string}`
  rp_context?: Partial<SignedContext>
}

type SignedContext = {
  rp_id: string
  nonce: string
  created_at: number
  expires_at: number
  signature: string
}

export type IdkitScene = Awaited<ReturnType<typeof startIdkitScene>>

/** Starts a wallet of simulated people for requests of idkit-core from npm, with a staging app that has a request key. */
export async function startIdkitScene(platform: TestPlatform) {
  readWasmFiles()
  const wallet = await startWalletServer(await freePort())
  wallet.setChain(platform.anvil.rpcUrl, platform.baseUrl)
  const app = appId(await platform.app({ team: await platform.team() }))
  await addRequestKey(platform, { app, privateKey: PRIVATE_KEY })

  /** Signs a request as the app's server does. The request of a session has no action. */
  function sign(action: string | null = ACTION): SignedContext {
    const request = { signingKeyHex: PRIVATE_KEY, ...(action !== null && { action }) }
    const { sig, nonce, createdAt, expiresAt } = signRequest(request)
    const times = { created_at: createdAt, expires_at: expiresAt }
    return { rp_id: rpIdOfApp(app), nonce, ...times, signature: sig }
  }

  const configOf = ({ rp_context, ...request }: Request, action: string | null) =>
    ({
      app_id: request.app_id ?? app,
      bridge_url: wallet.url,
      environment: 'staging',
      require_user_presence: request.require_user_presence ?? false,
      rp_context: { ...sign(action), ...rp_context },
    }) as const

  async function complete(
    builder: ReturnType<typeof IDKit.request | typeof IDKit.requestWithInviteCode>,
    { preset, constraints = CredentialRequest('proof_of_human', { signal: 'yes' }) }: Request,
    person: string,
  ) {
    const request = await (preset ? builder.preset(preset) : builder.constraints(constraints))
    const answer = person === 'nobody' ? 'decline' : 'approve'
    const form = new URLSearchParams({ connect_url: request.connectorURI, person, answer })
    const page = await (await fetch(wallet.url, { method: 'POST', body: form })).text()
    const completion = await request.pollUntilCompletion({ pollInterval: 10, timeout: 30_000 })
    return { completion, page }
  }

  return {
    app,
    sign,
    /** Makes a request as a page does, and answers it as a person. Returns what IDKit and the wallet's page say. */
    ask({ person = 'person-1', ...request }: Request) {
      const { allow_legacy_proofs = false } = request
      const config = { ...configOf(request, ACTION), action: ACTION, allow_legacy_proofs }
      const builder = request.hasCode ? IDKit.requestWithInviteCode(config) : IDKit.request(config)
      return complete(builder, request, person)
    },
    openSession: (person: string) => complete(IDKit.createSession(configOf({}, null)), {}, person),
    proveSession: (sessionId: `session_${string}`, person: string) =>
      complete(IDKit.proveSession(sessionId, configOf({}, null)), {}, person),
    async stop() {
      vi.unstubAllGlobals()
      await wallet.stop()
    },
  }
}

/** Lets idkit-core load its WebAssembly file. In Node, `fetch` cannot read files. */
function readWasmFiles() {
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (...[input, init]: Parameters<typeof fetch>) => {
    if (!(input instanceof URL) || input.protocol !== 'file:') return fetch(input, init)
    return new Response(await readFile(input), { headers: { 'content-type': 'application/wasm' } })
  })
}

/** Returns an app id with the type that IDKit needs. */
export function appId(id: string): `app_${string}` {
  return `app_${id.replace('app_', '')}`
}

/** Returns IDKit's result. */
export function resultOf({ completion }: { completion: IDKitCompletionResult }): IDKitResult {
  if (!completion.success) throw new Error(`IDKit got ${completion.error}.`)
  return completion.result
}

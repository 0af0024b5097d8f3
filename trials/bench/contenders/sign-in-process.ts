import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { type AdapterFactory, Provider } from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'
import Lru from 'oidc-provider/lib/helpers/lru.js'
import { z } from 'zod'
import { readSignInConfig } from '../../../lib/runtime/config.ts'
import { serve } from '../../../lib/runtime/http/serve.ts'
import { createLogger } from '../../../lib/runtime/log/log.ts'
import { createSignInApp } from '../../../oidc/app.ts'
import { signInErrorBody } from '../../../oidc/errors/error-body.ts'
import { storeHandle, userinfoUrl } from '../../../oidc/provider/access-token.ts'
import { startServices } from '../../../oidc/services.ts'
import { CALLBACK, SCOPE } from '../load/sign-in-flow.ts'

/**
 * Commands for this process, which runs one sign-in server. `ours` is the platform's server, but it neither verifies nor counts
 * proofs. `bare` is oidc-provider with its in-memory storage.
 */
export type Command = { kind: 'mint'; clientId: string; count: number } | { kind: 'memory' }

/** The response to `mint`. Each code can be redeemed once. */
export type CodesMessage = { codes: string[] }

const NULLIFIER = `0x${'1'.padStart(64, '0')}`
const HOST = '127.0.0.1'
const RESOURCE = userinfoUrl(String(process.env.AUTH_URL))

const Address = z.object({ port: z.number() })

if (import.meta.main) await runContender(process.argv[2] ?? '')

async function runContender(name: string) {
  const { server, library, findAccountId } =
    name === 'ours' ? await startPlatformSignIn() : await startBareProvider()
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (command: Command) => {
    if (command.kind === 'memory') {
      globalThis.gc?.()
      return void process.send?.({ heapMb: process.memoryUsage().heapUsed / 1e6 })
    }
    process.send?.(
      await mintCodes(library(), { ...command, accountId: findAccountId(command.clientId) }),
    )
  })
  const { port } = Address.parse(server.address())
  process.send?.({ url: `http://${HOST}:${port}` })
}

type RunningContender = {
  server: Server
  library: () => Provider
  findAccountId: (clientId: string) => string
}

async function startPlatformSignIn(): Promise<RunningContender> {
  const log = createLogger('bench', 'silent')
  const services = await startServices(readSignInConfig(process.env), { log, now: Date.now })
  // `npm run bench -- verify` measures how proofs are verified and counted.
  services.verification = {
    verify: async () => ({ valid: true, nullifierHash: NULLIFIER }),
    record: async ({ actionId }) => ({
      action_id: actionId,
      nullifier_hash: NULLIFIER,
      uses: 1,
      created_at: new Date().toISOString(),
    }),
  }
  return {
    server: await serve(createSignInApp(services), {
      host: HOST,
      port: 0,
      log,
      errorBody: signInErrorBody,
      close: services.close,
    }),
    library: () => services.provider().library,
    findAccountId: (clientId) => [clientId, NULLIFIER, 'orb'].join('|'),
  }
}

/**
 * Starts oidc-provider with only the configuration for a code flow with a custom login page. Its access tokens are like the
 * platform's: signed (RS256), for /userinfo, with an opaque token as their `jti`.
 */
async function startBareProvider(): Promise<RunningContender> {
  const library = await createBareProvider()
  const handleRequest = library.callback()
  const login = createLoginHandler(library)
  const server = createServer((request, response) =>
    request.url?.startsWith('/login/')
      ? login(request, response)
      : handleRequest(request, response),
  )
  await once(server.listen(0, HOST), 'listening')
  return {
    server,
    library: () => library,
    findAccountId: () => 'person',
  }
}

async function createBareProvider(): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2_048, extractable: true })
  const key = await exportJWK(privateKey)
  const adapter = createMemoryAdapter()
  return new Provider(String(process.env.AUTH_URL), {
    adapter,
    jwks: { keys: [{ ...key, kid: 'bench', alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: 'client',
        client_secret: 'secret',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: 'a@b.example', name: 'A' }),
    }),
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    cookies: { keys: (process.env.COOKIE_KEYS ?? '').split(',') },
    pkce: { required: () => false },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPE,
          audience: RESOURCE,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    formats: { customizers: { jwt: storeHandle } },
    ttl: {
      AuthorizationCode: 600,
      Grant: 4_200,
      Interaction: 600,
      Session: 600,
      AccessToken: 3_600,
      IdToken: 3_600,
    },
  })
}

/** Creates the handler of the login page: a GET shows it, and a POST signs the person in. */
function createLoginHandler(library: Provider): RequestListener {
  return async (request, response) => {
    const details = await library.interactionDetails(request, response)
    if (request.method === 'GET') return void response.end('<!doctype html><title>Sign in</title>')
    const grant = new library.Grant({ accountId: 'person', clientId: 'client' })
    grant.addOIDCScope(SCOPE)
    grant.addResourceScope(RESOURCE, SCOPE)
    const result = {
      login: { accountId: 'person', remember: false },
      consent: { grantId: await grant.save() },
    }
    const redirect_to = await library.interactionResult(request, response, result, {
      mergeWithLastSubmission: false,
    })
    response.end(JSON.stringify({ redirect_to, uid: details.uid }))
  }
}

/** Creates oidc-provider's in-memory storage with space for a round's codes. By default it keeps 1,000 entries: some 300 codes. */
function createMemoryAdapter(): AdapterFactory {
  const storage = new Lru({ maxSize: 10_000 })
  return (model) => new MemoryAdapter(model, storage)
}

type MintOptions = { clientId: string; accountId: string; count: number }

/** Creates authorization codes, as if a person had just signed in `count` times. */
async function mintCodes(
  library: Provider,
  { clientId, accountId, count }: MintOptions,
): Promise<CodesMessage> {
  const client = await library.Client.find(clientId)
  if (!client) throw new Error(`There is no client ${clientId}.`)
  const mintOne = async () => {
    const grant = new library.Grant({ accountId, clientId })
    grant.addOIDCScope(SCOPE)
    grant.addResourceScope(RESOURCE, SCOPE)
    const grantId = await grant.save()
    const code = new library.AuthorizationCode({
      accountId,
      client,
      grantId,
      redirectUri: CALLBACK,
      scope: SCOPE,
      resource: RESOURCE,
      expiresWithSession: false,
      gty: 'authorization_code',
    })
    return code.save()
  }
  return { codes: await Promise.all(Array.from({ length: count }, mintOne)) }
}

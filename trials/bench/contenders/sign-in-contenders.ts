import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { readPostmasterPid } from '../../../local/postgres/embedded-postgres.ts'
import { SIGN_IN_NODE_OPTIONS } from '../../../packages/platform/parts/sign-in-server.ts'
import { findProcessId } from '../../../packages/platform/processes/child-processes.ts'
import {
  startThrowawayPlatform,
  type ThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { callOnce } from '../load/http-load.ts'
import { readChildProcessIds } from '../load/process-cost.ts'
import { CALLBACK, type SignInTarget } from '../load/sign-in-flow.ts'
import type { Command } from './sign-in-process.ts'

/** One of the two compared sign-in servers, in a separate process. */
export type SignInContender = SignInTarget & {
  name: string
  pid: number
  /** Creates authorization codes, as if a person had just signed in `count` times. */
  mint(count: number): Promise<string[]>
  /** The heap after a forced collection, in MB. */
  heapMb(): Promise<number>
}

export type SignInContenders = {
  ours: SignInContender
  /** oidc-provider with its in-memory storage. */
  bare: SignInContender
  databaseUrl: string
  /** Finds the ids of the processes that the platform's sign-in server depends on, by the name of the part. */
  backgroundProcesses(): { PostgreSQL: number[]; 'the embedded engine': number[] }
  stop(): Promise<void>
}

const ISSUER = 'http://localhost:1'

/** Starts both servers, and the platform that `ours` needs. */
export async function startSignInContenders(): Promise<SignInContenders> {
  const platform = await startThrowawayPlatform()
  const environment = createEnvironment(platform.facts)
  const ours = await startContenderProcess('ours', environment)
  const bare = await startContenderProcess('bare', environment)
  return {
    databaseUrl: platform.facts.databaseUrl,
    ours: createContender(ours, {
      name: 'ours',
      client: await registerClient(ours.url),
      paths: { authorize: '/authorize', userinfo: '/userinfo', introspect: '/introspect' },
      createBearer: (accessToken) => accessToken,
    }),
    bare: createContender(bare, {
      name: 'oidc-provider',
      client: { id: 'client', basic: basicCredentials('client', 'secret') },
      paths: { authorize: '/auth', userinfo: '/me', introspect: '/token/introspection' },
      // oidc-provider does not accept the signed token, only the opaque token, which is the signed token's `jti`.
      createBearer: (accessToken) => String(decodeJwt(accessToken).jti),
    }),
    backgroundProcesses: () => ({
      PostgreSQL: findPostgresProcesses(platform),
      'the embedded engine': [findProcessId('packages/engine/server.ts')],
    }),
    async stop() {
      for (const { child } of [ours, bare]) child.disconnect()
      await platform.stop()
    },
  }
}

function findPostgresProcesses({ folder }: ThrowawayPlatform): number[] {
  const server = readPostmasterPid(join(folder, 'postgres'))
  return [server, ...readChildProcessIds(server)]
}

/** The messages that sign-in-process.ts sends. */
const ListeningMessage = z.object({ url: z.string() })
const CodesMessage = z.object({ codes: z.array(z.string()) })
const MemoryMessage = z.object({ heapMb: z.number() })

const RegisteredClient = z.object({ client_id: z.string(), client_secret: z.string() })

type StartedProcess = { child: ChildProcess; url: string }
type ContenderOptions = Pick<SignInContender, 'name' | 'client' | 'paths' | 'createBearer'>

function createContender(
  { child, url }: StartedProcess,
  options: ContenderOptions,
): SignInContender {
  const sendCommand = async (command: Command): Promise<unknown> => {
    const answer: Promise<unknown[]> = once(child, 'message')
    child.send(command)
    return (await answer)[0]
  }
  return {
    ...options,
    url,
    pid: requireValue(child.pid, 'the id of the running process'),
    async mint(count) {
      const command = { kind: 'mint', clientId: options.client.id, count } as const
      return CodesMessage.parse(await sendCommand(command)).codes
    },
    heapMb: async () => MemoryMessage.parse(await sendCommand({ kind: 'memory' })).heapMb,
  }
}

function createEnvironment({ databaseUrl, hasura, rpcUrl }: ThrowawayPlatform['facts']) {
  const secret = (name: string) => `${name} of a measurement and nothing else`
  return {
    NODE_ENV: 'production',
    AUTH_URL: ISSUER,
    DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_ENDPOINT: hasura.endpoint,
    HASURA_GRAPHQL_ADMIN_SECRET: hasura.adminSecret,
    COOKIE_KEYS: secret('cookie key'),
    CLIENT_SECRET_PEPPER: secret('pepper'),
    SIGNING_KEY_SECRET: secret('seal'),
    CHAIN_RPC_URL: rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    VERIFIER_THREADS: '1',
    ...Object.fromEntries(
      ['REGISTER', 'TOKEN', 'SIGN_IN'].map((name) => [`RATE_LIMIT_${name}`, '1000000000/60']),
    ),
  }
}

async function startContenderProcess(
  name: string,
  env: Record<string, string>,
): Promise<StartedProcess> {
  const child = fork(new URL('./sign-in-process.ts', import.meta.url), [name], {
    env: { PATH: process.env.PATH, ...env },
    execArgv: ['--expose-gc', ...SIGN_IN_NODE_OPTIONS],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const [message]: unknown[] = await once(child, 'message', {
    signal: AbortSignal.timeout(30_000),
  })
  return { url: ListeningMessage.parse(message).url, child }
}

async function registerClient(url: string): Promise<SignInTarget['client']> {
  const body = JSON.stringify({ redirect_uris: [CALLBACK] })
  const { text } = await callOnce(url, { path: '/register', body })
  const { client_id: id, client_secret: secret } = RegisteredClient.parse(JSON.parse(text))
  return { id, basic: basicCredentials(id, secret) }
}

function basicCredentials(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

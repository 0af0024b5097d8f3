import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../../../local/process/free-port.ts'
import { START_CACHE } from '../../../../test/support/start-cache.ts'

export const ADMIN_SECRET = 'a-secret-of-the-tests'

/** An engine and the functions that send requests to it. */
export type ServedEngine = {
  url: string
  /** Sends a JSON body to a path; a string is sent as it is. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<EngineAnswer>
  /** Sends one GraphQL operation as admin, or with these headers. */
  graphql(
    query: string,
    variables?: object,
    headers?: Record<string, string>,
  ): Promise<EngineAnswer>
  stop(): Promise<unknown>
}

/** An engine in a separate process. */
export type RunningEngine = ServedEngine & {
  pid: number
  /** The output of the process so far. */
  output(): string
  stop(ending?: Ending): Promise<number | null>
}

/** The ways to end an engine; `disconnect` closes the channel to the parent process, as the parent's end would. */
export type Ending = NodeJS.Signals | 'disconnect'

/** A response of the engine. Its body has no type, because tests compare it as a whole. */
export type EngineAnswer = { status: number; headers: Headers; text: string; body: unknown }

/**
 * Starts `node packages/engine/server.ts` on a free port and waits until it is healthy.
 *
 * @param environment settings besides the database, the port and the admin secret; null unsets a setting
 */
export async function startEngine(
  databaseUrl: string,
  environment: Record<string, string | null> = {},
): Promise<RunningEngine> {
  const port = environment.HASURA_GRAPHQL_SERVER_PORT ?? (await freePort())
  const child = spawn(process.execPath, [...START_CACHE, 'packages/engine/server.ts'], {
    env: { PATH: process.env.PATH, ...engineVariables(databaseUrl, port, environment) },
    // If the test is killed, the channel closes, which ends the engine.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const outputChunks: string[] = []
  child.stdout?.on('data', (chunk) => outputChunks.push(String(chunk)))
  child.stderr?.on('data', (chunk) => outputChunks.push(String(chunk)))
  const url = `http://127.0.0.1:${port}`
  await waitUntilHealthy(url, child, outputChunks)
  return {
    ...askEngine(url, environment.HASURA_GRAPHQL_ADMIN_SECRET || ADMIN_SECRET),
    pid: child.pid ?? 0,
    output: () => outputChunks.join(''),
    stop: (ending: Ending = 'SIGTERM') => stop(child, ending),
  }
}

/** Returns functions that send requests to an engine or Hasura, as admin unless the headers say otherwise. */
export function askEngine(url: string, adminSecret: string): Omit<ServedEngine, 'stop'> {
  const post: ServedEngine['post'] = async (path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hasura-admin-secret': adminSecret,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return readAnswer(response)
  }
  return {
    url,
    post,
    graphql: (query, variables = {}, headers = {}) =>
      post('/v1/graphql', { query, variables }, headers),
  }
}

/** Reads a response and parses its body if it is JSON. */
export async function readAnswer(response: Response): Promise<EngineAnswer> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parseJsonOrUndefined(text),
  }
}

/** The environment of an engine; null unsets a variable. */
export function engineVariables(
  databaseUrl: string,
  port: number | string,
  environment: Record<string, string | null>,
): Record<string, string | undefined> {
  const entries = Object.entries(environment).map(
    ([name, value]) => [name, value ?? undefined] as const,
  )
  return {
    HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_SERVER_PORT: String(port),
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    ...Object.fromEntries(entries),
  }
}

async function waitUntilHealthy(url: string, child: ChildProcess, outputChunks: readonly string[]) {
  const deadline = Date.now() + 100_000
  // `close` comes after `exit`, when all output has been read.
  let hasClosed = false
  child.once('close', () => {
    hasClosed = true
  })
  while (Date.now() < deadline) {
    if (hasClosed) throw new Error(`the engine ended: ${outputChunks.join('')}`)
    const response = await fetch(`${url}/healthz`).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  child.kill('SIGKILL')
  throw new Error(`the engine is not healthy after 100 s: ${outputChunks.join('')}`)
}

async function stop(child: ChildProcess, ending: Ending): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  // Waits for the rest of the output. A child with a disconnected channel has no `close` event.
  const parts = [child.stdout, child.stderr].flatMap((stream) =>
    stream ? [once(stream, 'close')] : [],
  )
  const exit = Promise.all([once(child, 'exit'), ...parts])
  if (ending === 'disconnect') child.disconnect()
  else child.kill(ending)
  await exit
  return child.exitCode
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

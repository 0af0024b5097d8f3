import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { endProcess, explainEnd, hasEnded } from '../../../local/process/end-process.ts'
import { endWithParent } from '../../../local/process/end-with-parent.ts'

/** The folder of the sources or of the package. Parts run in it, whatever the folder of this process. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The extension of the platform's files: `.js` in the package. */
const EXTENSION = extname(import.meta.url)

const START_CACHE = new URL('../../../local/caches/start-cache.mjs', import.meta.url).href

/** A server that has not stopped after 4 s is killed. It might wait 10 s for current requests (lib/runtime/http/serve.ts). */
const STOP = { signal: 'SIGTERM', killAfterMs: 4_000 } as const

export type ServerProcess = { pid: number; stop(): Promise<void> }

type Options = {
  name: string
  /** The file that Node runs, such as `packages/engine/server.ts`. */
  entry: string
  /** Node's options, such as `--max-semi-space-size=64`. */
  nodeOptions?: readonly string[]
  env: Record<string, string>
  logFile: string
  /** An address that answers 200 when the part is ready. */
  healthUrl: string
  /** Called when the part ends unexpectedly. */
  onEnd: (error: Error) => void
}

/**
 * Starts a server of the platform in a child process, and waits until it is ready.
 *
 * @throws Error with the last lines of the log, if the server does not start
 */
export async function startServerProcess(options: Options): Promise<ServerProcess> {
  const { name, entry, nodeOptions = [], env, logFile, healthUrl, onEnd } = options
  const log = openLog(logFile)
  const program = entry.replace(/\.ts$/, EXTENSION)
  const child = spawn(process.execPath, [...nodeOptions, '--import', START_CACHE, program], {
    cwd: ROOT,
    env: { ...inheritedEnvironment(), ...env },
    // The part writes directly to the log file, so that this process need not copy its output. The IPC channel closes when this
    // process ends, and the part then exits, unless it is too busy.
    stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
    detached: true,
  })
  endWithParent(child, STOP.signal)
  closeSync(log.descriptor)
  const { lastLines } = log
  await waitUntilHealthy(child, { name, healthUrl, lastLines })
  let isStopping = false
  child.once('exit', () => {
    if (isStopping) return
    // The log of a killed process does not say why it ended.
    const log = child.signalCode === null ? lastLines() : `Its log is ${logFile}.`
    onEnd(new Error(`${name} ended unexpectedly: ${explainEnd(child)}. ${log}`))
  })
  return {
    pid: requireValue(child.pid, 'the id of a process that answers'),
    stop: () => {
      isStopping = true
      return endProcess(child, STOP)
    },
  }
}

/** Returns the few environment variables that a part inherits from this process. */
function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS, LOG_LEVEL } = process.env
  return {
    PATH,
    HOME,
    ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
    ...(LOG_LEVEL && { LOG_LEVEL }),
    ...Object.fromEntries(Object.entries(process.env).filter(isTracingVariable)),
  }
}

/** Returns whether a variable belongs to OpenTelemetry. All parts inherit these variables. */
function isTracingVariable(entry: [string, string | undefined]): entry is [string, string] {
  return entry[0].startsWith('OTEL_') && entry[1] !== undefined
}

function openLog(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const descriptor = openSync(file, 'a', 0o600)
  const start = statSync(file).size
  const lastLines = () => {
    if (!existsSync(file)) return `Its log ${file} has been removed.`
    const lines = readFileSync(file, 'utf8').slice(start).trim().split('\n')
    return `${lines.slice(-8).join('\n')}\n(The whole log is in ${file}.)`
  }
  return { descriptor, lastLines }
}

type HealthCheck = { name: string; healthUrl: string; lastLines: () => string }

async function waitUntilHealthy(child: ChildProcess, { name, healthUrl, lastLines }: HealthCheck) {
  const deadline = Date.now() + 60_000
  while (!(await isHealthy(healthUrl))) {
    if (hasEnded(child)) throw new Error(`${name} did not start:\n${lastLines()}`)
    if (Date.now() > deadline) {
      await endProcess(child, STOP)
      throw new Error(`${name} was not ready after 60 s:\n${lastLines()}`)
    }
    await sleep(20)
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

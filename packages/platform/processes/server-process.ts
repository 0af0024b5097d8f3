import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { present } from '../../../lib/runtime/present.ts'
import { endProcess, explainEnd, hasEnded } from '../../../local/process/end-process.ts'
import { endWithParent } from '../../../local/process/end-with-parent.ts'

/** The folder of all our files. The parts run in it, wherever this process does. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** In the package all our files are JavaScript. */
const EXTENSION = extname(import.meta.url)

const START_CACHE = new URL('../../../local/caches/start-cache.mjs', import.meta.url).href

/** A server would wait 10 s for requests under way (lib/runtime/http/serve.ts), longer than a person at a terminal does. */
const ENDING = { signal: 'SIGTERM', killAfterMs: 4_000 } as const

export type ServerProcess = { pid: number; stop(): Promise<void> }

type Options = {
  name: string
  /** The part's entry point in these sources, such as `packages/engine/server.ts`. */
  entry: string
  /** Options of Node, such as `--max-semi-space-size=64`. */
  nodeOptions?: readonly string[]
  env: Record<string, string>
  logFile: string
  /** Answers 200 when the part is ready. */
  healthUrl: string
  /** Called when the part ends by itself. */
  onEnd: (error: Error) => void
}

/**
 * Starts one server of the platform as a process of its own, and waits until it is ready.
 *
 * @throws Error with the last lines of the log of a part that did not start
 */
export async function startServerProcess(options: Options): Promise<ServerProcess> {
  const { name, entry, nodeOptions = [], env, logFile, healthUrl, onEnd } = options
  const log = openLog(logFile)
  const program = entry.replace(/\.ts$/, EXTENSION)
  const child = spawn(process.execPath, [...nodeOptions, '--import', START_CACHE, program], {
    cwd: ROOT,
    env: { ...inheritedEnvironment(), ...env },
    // The output goes straight into the file, so that a busy part does not keep this process busy. The IPC
    // channel closes with this process, however it ends, and the part then ends itself, unless it is too busy.
    stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
    detached: true,
  })
  endWithParent(child, ENDING.signal)
  closeSync(log.descriptor)
  const { lastLines } = log
  await waitUntilHealthy(child, { name, healthUrl, lastLines })
  let stopping = false
  child.once('exit', () => {
    // What was killed has written nothing about that.
    const log = child.signalCode === null ? lastLines() : `Its log is ${logFile}.`
    if (!stopping) onEnd(new Error(`${name} ended by itself: ${explainEnd(child)}. ${log}`))
  })
  return {
    pid: present(child.pid, 'the id of a process that answers'),
    stop: () => {
      stopping = true
      return endProcess(child, ENDING)
    },
  }
}

/** A part gets its own configuration, and little of what happens to be set in this shell. */
function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS, LOG_LEVEL } = process.env
  return {
    PATH,
    HOME,
    ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
    ...(LOG_LEVEL && { LOG_LEVEL }),
    ...Object.fromEntries(Object.entries(process.env).filter(isOfTracing)),
  }
}

/** OpenTelemetry's standard variables apply to all parts alike. */
function isOfTracing(entry: [string, string | undefined]): entry is [string, string] {
  return entry[0].startsWith('OTEL_') && entry[1] !== undefined
}

function openLog(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const descriptor = openSync(file, 'a', 0o600)
  const start = statSync(file).size
  const lastLines = () => {
    const lines = readFileSync(file, 'utf8').slice(start).trim().split('\n')
    return `${lines.slice(-8).join('\n')}\n(The whole log is in ${file}.)`
  }
  return { descriptor, lastLines }
}

type Waiting = { name: string; healthUrl: string; lastLines: () => string }

async function waitUntilHealthy(child: ChildProcess, { name, healthUrl, lastLines }: Waiting) {
  const deadline = Date.now() + 60_000
  while (!(await isHealthy(healthUrl))) {
    if (hasEnded(child)) throw new Error(`${name} did not start:\n${lastLines()}`)
    if (Date.now() > deadline) {
      await endProcess(child, ENDING)
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

import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '../../local/process/end-process.ts'
import type { Account } from './accounts.ts'

/** Where commands run, and as whom. */
export type Place = { cwd: string; account: Account; env: Record<string, string> }

/** A command of a package that serves. */
export type RunningServer = {
  /** What it has written. */
  said(): string
  readyAfterSeconds: string
  /** Sends JSON to a path of its own, or to another address, and parses the answer's. */
  ask(to: string, body: object, headers?: Record<string, string>): Promise<Record<string, unknown>>
  /** Ends it as Ctrl-C does. @throws Error where it does not end well, or a process stays */
  stop(): Promise<void>
}

/** Also where npx installs before it starts. */
const LIMIT_MS = 300_000

/** Starts a command by npx, and waits until it serves. */
export async function startServer(place: Place, words: string[]): Promise<RunningServer> {
  const { cwd, account, env } = place
  const begin = performance.now()
  const child = spawn('npx', words, {
    cwd,
    env,
    uid: account.uid,
    gid: account.gid,
    // A process group of its own, which is told of Ctrl-C as a terminal's is.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  endAtExit(child)
  // The engine's `serve` says in its log on which port it serves, and the others when they are ready.
  const isReady = () => said.includes('Ready.') || said.includes('"listening"')
  await waitFor(() => isReady() || hasEnded(child)).catch(() => {})
  if (!isReady() || hasEnded(child)) {
    signalGroup(child, 'SIGINT')
    throw new Error(`it does not start: ${said}`)
  }
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
  const origin = url ?? `http://127.0.0.1:${env.HASURA_GRAPHQL_SERVER_PORT}`
  return {
    said: () => said,
    readyAfterSeconds: ((performance.now() - begin) / 1_000).toFixed(1),
    ask: (to, body, headers = {}) => askServer(new URL(to, origin).href, body, headers),
    async stop() {
      signalGroup(child, 'SIGINT')
      await waitFor(() => hasEnded(child))
      // Some npx end by the signal at once, and others with the exit code of the command.
      if (child.exitCode !== 0 && child.signalCode !== 'SIGINT')
        throw new Error(`it ends with ${child.exitCode ?? child.signalCode}: ${said}`)
      // The engine's `serve` runs beside a `dev`, whose database is in the folder.
      const folder = words.includes('serve') ? '' : cwd
      await waitFor(() => processesAt(child.pid, folder).length === 0)
    },
  }
}

/** The commands that run. */
const running = new Set<ChildProcess>()

/** Ends a command with this program: one listener for all, since Node warns of a leak from the eleventh on. */
function endAtExit(child: ChildProcess) {
  if (!process.listeners('exit').includes(endRunning)) process.once('exit', endRunning)
  running.add(child)
  child.once('exit', () => running.delete(child))
}

function endRunning() {
  for (const child of running) signalGroup(child, 'SIGINT')
}

async function askServer(url: string, body: object, given: Record<string, string>) {
  const headers = { 'content-type': 'application/json', ...given }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return JSON.parse(await response.text())
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // All of it has ended.
  }
}

async function waitFor(isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !isSo(); await sleep(50))
    if (Date.now() > deadline) throw new Error('it does not end, or leaves a process behind')
}

/** The processes of a group, and those that a folder is named by, such as a database's. */
function processesAt(group: number | undefined, folder: string): string[] {
  return globSync('/proc/[0-9]*').filter((process) => {
    try {
      const stat = readFileSync(`${process}/stat`, 'utf8')
      const [, , groupId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = readFileSync(`${process}/cmdline`, 'utf8')
      return Number(groupId) === group || (folder !== '' && command.includes(folder))
    } catch {
      // It has ended meanwhile.
      return false
    }
  })
}

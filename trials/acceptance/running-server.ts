import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '../../local/process/end-process.ts'
import type { Account } from './accounts.ts'

/** The folder, account and environment of a new user's commands. */
export type Installation = { cwd: string; account: Account; env: Record<string, string> }

/** A running server that a command of a package started. */
export type RunningServer = {
  /** The standard output and standard error so far. */
  output(): string
  readyAfterSeconds: string
  /** Sends JSON to a path of this server, or to a URL, and parses the response. */
  post(to: string, body: object, headers?: Record<string, string>): Promise<Record<string, unknown>>
  /** Ends the server as Ctrl-C does. @throws Error if the exit code is wrong, or a process is left */
  stop(): Promise<void>
}

/** The longest wait for a start or an end. npx may also install the package in this time. */
const LIMIT_MS = 300_000

/** Starts a command by npx, and waits until it serves. */
export async function startServer(
  { cwd, account, env }: Installation,
  words: string[],
): Promise<RunningServer> {
  const begin = performance.now()
  const child = spawn('npx', words, {
    cwd,
    env,
    uid: account.uid,
    gid: account.gid,
    // A separate process group, which gets SIGINT as a whole, as from a terminal.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  endAtExit(child)
  // The engine's `serve` logs "listening"; the other commands print "Ready."
  const isReady = () => output.includes('Ready.') || output.includes('"listening"')
  await waitFor(() => isReady() || hasEnded(child)).catch(() => {})
  if (!isReady() || hasEnded(child)) {
    signalGroup(child, 'SIGINT')
    throw new Error(`npx ${words.join(' ')} did not start: ${output}`)
  }
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
  const origin = url ?? `http://127.0.0.1:${env.HASURA_GRAPHQL_SERVER_PORT}`
  return {
    output: () => output,
    readyAfterSeconds: ((performance.now() - begin) / 1_000).toFixed(1),
    post: (to, body, headers = {}) => postToServer(new URL(to, origin).href, body, headers),
    async stop() {
      signalGroup(child, 'SIGINT')
      await waitFor(() => hasEnded(child))
      // Some versions of npx die from the signal; others end with the exit code of the command.
      if (child.exitCode !== 0 && child.signalCode !== 'SIGINT')
        throw new Error(`npx ended with ${child.exitCode ?? child.signalCode}: ${output}`)
      // While `serve` ends, the database of `dev` still runs from the folder.
      const folder = words.includes('serve') ? '' : cwd
      await waitFor(() => processesAt(child.pid, folder).length === 0)
    },
  }
}

const running = new Set<ChildProcess>()

/** Ends a command when this program exits. All commands share one listener, because Node warns of a leak above ten. */
function endAtExit(child: ChildProcess) {
  if (!process.listeners('exit').includes(endRunning)) process.once('exit', endRunning)
  running.add(child)
  child.once('exit', () => running.delete(child))
}

function endRunning() {
  for (const child of running) signalGroup(child, 'SIGINT')
}

async function postToServer(url: string, body: object, extraHeaders: Record<string, string>) {
  const headers = { 'content-type': 'application/json', ...extraHeaders }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return JSON.parse(await response.text())
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The whole group has ended.
  }
}

async function waitFor(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !condition(); await sleep(50))
    if (Date.now() > deadline) throw new Error('the command or a process of it has not ended')
}

/** Lists the processes of a group, and other processes with the folder in their command line, such as PostgreSQL's. */
function processesAt(group: number | undefined, folder: string): string[] {
  return globSync('/proc/[0-9]*').filter((process) => {
    try {
      const stat = readFileSync(`${process}/stat`, 'utf8')
      const [, , groupId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = readFileSync(`${process}/cmdline`, 'utf8')
      return Number(groupId) === group || (folder !== '' && command.includes(folder))
    } catch {
      // The process has just ended.
      return false
    }
  })
}

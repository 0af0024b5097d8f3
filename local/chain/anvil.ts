import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOn } from '../../lib/runtime/http/listen.ts'
import { endProcess, explainEnd, hasEnded } from '../process/end-process.ts'
import { endWithParent } from '../process/end-with-parent.ts'
import { isPortFree } from '../process/free-port.ts'
import { askAnvil } from './anvil-socket.ts'
import { recordOwner, takeOverState } from './anvil-state.ts'
import { createChainEndpoint } from './chain-endpoint.ts'
import { CHAIN_ID } from './local-chain.ts'

/** SIGTERM lets it write its state. */
const ENDING = { signal: 'SIGTERM', killAfterMs: 10_000 } as const

export type Anvil = { rpcUrl: string; stop(): Promise<void> }

type Options = {
  port: number
  /** Keeps the chain between starts; without it the chain is gone when the process ends. */
  stateFile?: string
  /** Called when it ends by itself. */
  onEnd?: (error: Error) => void
  /** Gets sentences for the person at the terminal. */
  log?: (line: string) => void
}

/**
 * Starts a local chain on loopback and waits until it answers.
 *
 * With a state file, the chain's state is written to it every second and at the end.
 *
 * @throws Error with a sentence for the person at the terminal
 */
export async function startAnvil(options: Options): Promise<Anvil> {
  const { port, stateFile, onEnd = () => {}, log = () => {} } = options
  if (stateFile) await takeOverState(stateFile, log)
  // Only this account can enter the folder.
  const folder = mkdtempSync(join(tmpdir(), 'chain-'))
  const socket = join(folder, 'socket')
  const server = createServer(createChainEndpoint(socket))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await listenForCallers(server, port)
    // The port is free again when the end is told: the chain may be started anew there.
    const onAnvilEnd = (error: Error) => void close().then(() => onEnd(error))
    const stopAnvil = await startBehind(socket, { stateFile, onEnd: onAnvilEnd })
    const stop = async () => {
      await close()
      await stopAnvil()
    }
    return { rpcUrl: `http://127.0.0.1:${port}`, stop }
  } catch (error) {
    await close()
    throw error
  }
}

async function listenForCallers(server: Server, port: number): Promise<void> {
  await listenOn(server, { host: '127.0.0.1', port }).catch((cause: unknown) => {
    throw new Error(
      `Port ${port}, where the local chain should listen, is in use: end the program that uses it, or choose another port.`,
      { cause },
    )
  })
}

/** Starts anvil itself, which only the endpoint reaches. @returns what stops anvil */
async function startBehind(
  socket: string,
  { stateFile, onEnd }: { stateFile: string | undefined; onEnd(error: Error): void },
): Promise<() => Promise<void>> {
  const keeping = stateFile ? ['--state', stateFile, '--state-interval', '1'] : []
  const flags = ['--ipc', socket, ...(await unreachableAddress()), ...FLAGS, ...keeping]
  // A process group of its own: Ctrl-C must reach the services first and the chain last.
  const child = spawn(anvilBinary(), flags, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endWithParent(child, 'SIGTERM')
  if (stateFile) recordOwner(stateFile, child)
  await waitForChain(child, socket)
  const tell = () => onEnd(new Error(`The local chain ended unexpectedly: ${explainEnd(child)}.`))
  child.once('exit', tell)
  return () => endProcess(child.off('exit', tell), ENDING)
}

const FLAGS = ['--no-cors', '--chain-id', String(CHAIN_ID), '--quiet']

/**
 * The address of anvil's HTTP server, which cannot be switched off, and which answers WebSockets of every origin.
 *
 * Linux lets a server listen on a multicast address, to which no program can connect. Elsewhere the port is one that browsers
 * never open: programs of this machine could connect to it, and pages could not.
 *
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
async function unreachableAddress(): Promise<string[]> {
  if (await isPortFree(0, MULTICAST)) return ['--host', MULTICAST, '--port', '0']
  for (const port of PORTS_CLOSED_TO_PAGES)
    if (await isPortFree(port)) return ['--host', '127.0.0.1', '--port', String(port)]
  throw new Error(
    `In use: all of the ports ${PORTS_CLOSED_TO_PAGES.join(', ')}. End a local chain.`,
  )
}

const MULTICAST = '224.0.0.1'

const PORTS_CLOSED_TO_PAGES = [6665, 6666, 6667, 6668, 6669, 6000, 4045, 2049]

const require = createRequire(import.meta.url)

/** The path of anvil itself: if the package's wrapper were started and killed, anvil would go on running. */
function anvilBinary(): string {
  const wrapper = require.resolve('@foundry-rs/anvil/package.json')
  const { platform, arch } = process
  const build = `${platform}-${arch === 'x64' ? 'amd64' : arch}`
  const file = platform === 'win32' ? 'anvil.exe' : 'anvil'
  return createRequire(wrapper).resolve(`@foundry-rs/anvil-${build}/bin/${file}`)
}

async function waitForChain(child: ChildProcess, socket: string): Promise<void> {
  let complaint = ''
  const keep = (text: string) => {
    complaint = (complaint + text).slice(-2000)
  }
  child.once('error', (error) => keep(error.message))
  child.stderr?.setEncoding('utf8').on('data', keep)
  const deadline = Date.now() + 20_000
  while (!(await answersRpc(socket))) {
    if (child.pid === undefined || hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`The local chain did not start: ${complaint.trim()}`)
    }
    await sleep(10)
  }
}

function answersRpc(socket: string): Promise<boolean> {
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  return askAnvil(socket, call, AbortSignal.timeout(1000)).then(
    () => true,
    () => false,
  )
}

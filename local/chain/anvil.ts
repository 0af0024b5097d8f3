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

/** SIGTERM lets anvil write its state. */
const ENDING = { signal: 'SIGTERM', killAfterMs: 10_000 } as const

export type Anvil = { rpcUrl: string; stop(): Promise<void> }

type Options = {
  port: number
  /** The file that keeps the chain between starts. Without it, the chain is lost when the process ends. */
  stateFile?: string
  /** Called when anvil ends unexpectedly. */
  onEnd?: (error: Error) => void
  /** Receives messages for the user at the terminal. */
  log?: (line: string) => void
}

/**
 * Starts a local chain on loopback and waits until it responds.
 *
 * With `stateFile`, anvil writes the chain's state to this file every second and at the end.
 *
 * @throws Error with a message for the user at the terminal
 */
export async function startAnvil(options: Options): Promise<Anvil> {
  const { port, stateFile, onEnd = () => {}, log = () => {} } = options
  if (stateFile) await takeOverState(stateFile, log)
  // Only this account can access the folder.
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
    // onEnd is called once the port is free, because it may restart the chain on the port.
    const onAnvilEnd = (error: Error) => void close().then(() => onEnd(error))
    const stopAnvil = await startAnvilProcess(socket, { stateFile, onEnd: onAnvilEnd })
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
      `Port ${port} of the local chain is in use. End the program that uses it, or choose another port.`,
      { cause },
    )
  })
}

/** Starts anvil with a Unix socket for the endpoint. @returns a function that stops anvil */
async function startAnvilProcess(
  socket: string,
  { stateFile, onEnd }: { stateFile: string | undefined; onEnd(error: Error): void },
): Promise<() => Promise<void>> {
  const stateFlags = stateFile ? ['--state', stateFile, '--state-interval', '1'] : []
  const flags = ['--ipc', socket, ...(await unreachableAddress()), ...FLAGS, ...stateFlags]
  // In a separate process group, because Ctrl-C must end the services first and the chain last.
  const child = spawn(anvilBinary(), flags, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endWithParent(child, 'SIGTERM')
  if (stateFile) recordOwner(stateFile, child)
  await waitForChain(child, socket)
  const reportEnd = () =>
    onEnd(new Error(`The local chain ended unexpectedly: ${explainEnd(child)}.`))
  child.once('exit', reportEnd)
  return () => endProcess(child.off('exit', reportEnd), ENDING)
}

const FLAGS = ['--no-cors', '--chain-id', String(CHAIN_ID), '--quiet']

/**
 * Returns flags with an address for anvil's HTTP server that no web page can reach. The server cannot be switched off,
 * and accepts WebSockets from every origin.
 *
 * On Linux a server can listen on a multicast address, to which no program can connect. On other systems the server
 * gets a port that browsers block: local programs can connect, web pages cannot.
 *
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
async function unreachableAddress(): Promise<string[]> {
  if (await isPortFree(0, MULTICAST)) return ['--host', MULTICAST, '--port', '0']
  for (const port of PORTS_CLOSED_TO_PAGES)
    if (await isPortFree(port)) return ['--host', '127.0.0.1', '--port', String(port)]
  throw new Error(
    `All ports for anvil are in use: ${PORTS_CLOSED_TO_PAGES.join(', ')}. End another local chain.`,
  )
}

const MULTICAST = '224.0.0.1'

const PORTS_CLOSED_TO_PAGES = [6665, 6666, 6667, 6668, 6669, 6000, 4045, 2049]

const require = createRequire(import.meta.url)

/** Returns the path of anvil's binary. The package also has a wrapper, but if it were killed, anvil would keep running. */
function anvilBinary(): string {
  const wrapper = require.resolve('@foundry-rs/anvil/package.json')
  const { platform, arch } = process
  const build = `${platform}-${arch === 'x64' ? 'amd64' : arch}`
  const file = platform === 'win32' ? 'anvil.exe' : 'anvil'
  return createRequire(wrapper).resolve(`@foundry-rs/anvil-${build}/bin/${file}`)
}

async function waitForChain(child: ChildProcess, socket: string): Promise<void> {
  let errorOutput = ''
  const appendOutput = (text: string) => {
    errorOutput = (errorOutput + text).slice(-2000)
  }
  child.once('error', (error) => appendOutput(error.message))
  child.stderr?.setEncoding('utf8').on('data', appendOutput)
  const deadline = Date.now() + 20_000
  while (!(await answersRpc(socket))) {
    if (child.pid === undefined || hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`The local chain did not start: ${errorOutput.trim()}`)
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

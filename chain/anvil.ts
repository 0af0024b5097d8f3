import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, explainEnd, hasEnded } from '../lib/process/end-process.ts'
import { endWithParent } from '../lib/process/end-with-parent.ts'
import { claimState, takeOverState } from './anvil-state.ts'
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
export async function startAnvil({
  port,
  stateFile,
  onEnd = () => {},
  log = () => {},
}: Options): Promise<Anvil> {
  if (stateFile) await takeOverState(stateFile, log)
  await requireFreeChainPort(port)
  const keeping = stateFile ? ['--state', stateFile, '--state-interval', '1'] : []
  // A process group of its own: Ctrl-C must reach the services first and the chain last.
  const child = spawn(anvilBinary(), [...flags, '--port', String(port), ...keeping], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endWithParent(child, 'SIGTERM')
  if (stateFile) claimState(stateFile, child)
  const rpcUrl = `http://127.0.0.1:${port}`
  await waitForChain(child, rpcUrl)
  const tell = () => onEnd(new Error(`The local chain ended by itself: ${explainEnd(child)}.`))
  child.once('exit', tell)
  return { rpcUrl, stop: () => endProcess(child.off('exit', tell), ENDING) }
}

// anvil signs for its accounts, so whoever reaches the port may spend: loopback, and no pages of
// other sites.
const flags = ['--host', '127.0.0.1', '--no-cors', '--chain-id', String(CHAIN_ID), '--quiet']

/** Checks the port before the start: another program that listens there could be taken for the chain. */
async function requireFreeChainPort(port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(port, '127.0.0.1', resolve)
  }).catch((cause: unknown) => {
    throw new Error(
      `Port ${port}, where the local chain should listen, is in use: end the program that uses it, or choose another port.`,
      { cause },
    )
  })
  await new Promise((resolve) => probe.close(resolve))
}

const require = createRequire(import.meta.url)

/** The path of anvil itself: if the package's wrapper were started and killed, anvil would go on running. */
function anvilBinary(): string {
  const wrapper = require.resolve('@foundry-rs/anvil/package.json')
  const { platform, arch } = process
  const build = `${platform}-${arch === 'x64' ? 'amd64' : arch}`
  const file = platform === 'win32' ? 'anvil.exe' : 'anvil'
  return createRequire(wrapper).resolve(`@foundry-rs/anvil-${build}/bin/${file}`)
}

async function waitForChain(child: ChildProcess, rpcUrl: string): Promise<void> {
  let complaint = ''
  const keep = (text: string) => {
    complaint = (complaint + text).slice(-2000)
  }
  child.once('error', (error) => keep(error.message))
  child.stderr?.setEncoding('utf8').on('data', keep)
  const deadline = Date.now() + 20_000
  while (!(await answersRpc(rpcUrl))) {
    if (child.pid === undefined || hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`The local chain did not start: ${complaint.trim()}`)
    }
    await sleep(10)
  }
}

async function answersRpc(rpcUrl: string): Promise<boolean> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    signal: AbortSignal.timeout(1000),
  }).catch(() => null)
  return answer?.ok ?? false
}

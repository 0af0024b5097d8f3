import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createGroupContract } from '../../../lib/chain/group-contract.ts'
import { type Anvil, startAnvil } from '../../../local/chain/anvil.ts'
import { deployChain } from '../../../local/chain/deploy.ts'
import { CHAIN_ID, connectLocalChain } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { descendants } from '../../../packages/platform/test/support/start-command.ts'

const chains: Anvil[] = []
let folder: string
let stateFile: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-anvil-'))
  stateFile = join(folder, 'chain', 'state.json')
})
afterEach(async () => {
  for (const anvil of chains.splice(0)) await anvil.stop()
  rmSync(folder, { recursive: true, force: true })
})

const messages: string[] = []

async function start(port?: number): Promise<Anvil> {
  messages.length = 0
  const log = (line: string) => messages.push(line)
  const anvil = await startAnvil({ port: port ?? (await freePort()), stateFile, log })
  chains.push(anvil)
  return anvil
}

async function isRootKnown({ rpcUrl }: { rpcUrl: string }, root: bigint): Promise<boolean> {
  const { groups } = await deployChain(rpcUrl)
  const record = await createGroupContract({
    rpcUrl,
    chainId: CHAIN_ID,
    timeoutMs: 20_000,
  }).queryRoot(groups.staging, root)
  return record.isKnown
}

/** Publishes a root, and waits until the root is in the state file. */
async function withRoot(rpcUrl: string, root: bigint): Promise<void> {
  await deployChain(rpcUrl)
  await publishRoot({ rpcUrl, group: 'staging', root })
  const block = Number(await (await connectLocalChain(rpcUrl)).getBlockNumber())
  const savedBlock = () => JSON.parse(readFileSync(stateFile, 'utf8')).best_block_number
  await vi.waitUntil(() => attempt(savedBlock) === block, { timeout: 30_000, interval: 20 })
}

function attempt<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch {
    return null
  }
}

describe('startAnvil starts and stops a local chain', () => {
  test('the local chain has the id 31337 and listens on loopback only', async () => {
    const { rpcUrl } = await start()
    expect(rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await connectLocalChain(rpcUrl)).getChainId()).toBe(31337)
  })

  test('a start on a port in use fails with an error that names the port', async () => {
    const port = await freePort()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    await expect(start(port)).rejects.toThrow(`Port ${port} of the local chain is in use`)
    server.close()
  })

  test('a local chain can be stopped twice', async () => {
    const anvil = await start()
    await anvil.stop()
    await expect(anvil.stop()).resolves.toBeUndefined()
  })

  test('onEnd is called when anvil is killed, and not when it is stopped', async () => {
    const onEnd = vi.fn()
    const again = async () => startAnvil({ port: await freePort(), stateFile, onEnd })
    await (await again()).stop()
    expect(onEnd).not.toHaveBeenCalled()
    await again()
    process.kill(chainPid(), 'SIGKILL')
    await vi.waitUntil(() => onEnd.mock.calls.length > 0, { timeout: 30_000 })
    expect(onEnd.mock.calls).toEqual([
      [new Error('The local chain ended unexpectedly: signal SIGKILL.')],
    ])
  })

  test('a local chain ends when the process that started it fails', async () => {
    const port = await freePort()
    const starter = await startElsewhere(port, "throw new Error('anything')")
    await vi.waitUntil(() => starter.exitCode !== null, { timeout: 30_000, interval: 20 })
    await vi.waitUntil(() => isFree(port), { timeout: 30_000, interval: 20 })
    expect(await isFree(port)).toBe(true)
  })
})

describe('the state file keeps the local chain between starts', () => {
  test('the state is kept over a stop and a start', async () => {
    const first = await start()
    const addresses = await deployChain(first.rpcUrl)
    await publishRoot({ rpcUrl: first.rpcUrl, group: 'staging', root: 7n })
    await first.stop()
    const second = await start()
    expect(await isRootKnown(second, 7n)).toBe(true)
    expect(await isRootKnown(second, 8n)).toBe(false)
    expect(await deployChain(second.rpcUrl)).toEqual(addresses)
    expect(await publishRoot({ rpcUrl: second.rpcUrl, group: 'staging', root: 7n })).toBe(false)
  })

  test('the state is kept over a kill, once it has been written', async () => {
    const first = await start()
    await withRoot(first.rpcUrl, 7n)
    process.kill(chainPid(), 'SIGKILL')
    expect(await isRootKnown(await start(), 7n)).toBe(true)
  })

  test('an incomplete state file is replaced with the state of the last start', async () => {
    const first = await start()
    await withRoot(first.rpcUrl, 7n)
    await first.stop()
    const second = await start()
    await publishRoot({ rpcUrl: second.rpcUrl, group: 'staging', root: 8n })
    await second.stop()
    truncateSync(stateFile, 1000)
    const third = await start()
    expect(messages).toEqual([expect.stringMatching(/is damaged\. The chain continues from/)])
    expect(await isRootKnown(third, 7n)).toBe(true)
    expect(await isRootKnown(third, 8n)).toBe(false)
  })

  test('a damaged state file without a copy is replaced with a new chain', async () => {
    await (await start()).stop()
    truncateSync(stateFile, 0)
    const { rpcUrl } = await start()
    expect(messages).toEqual([expect.stringMatching(/is damaged.* The chain starts empty/)])
    expect(await (await connectLocalChain(rpcUrl)).getBlockNumber()).toBe(0n)
  })

  test('after its starter is killed, a chain ends, frees its port and keeps its state', async () => {
    const port = await freePort()
    const starter = await startElsewhere(port)
    const rpcUrl = `http://127.0.0.1:${port}`
    await deployChain(rpcUrl)
    await publishRoot({ rpcUrl, group: 'staging', root: 7n })
    starter.kill('SIGKILL')
    await vi.waitUntil(() => isFree(port), { timeout: 30_000 })
    expect(await isRootKnown(await start(port), 7n)).toBe(true)
  })

  test('a new start takes over the state and the port of an orphaned chain', async () => {
    const port = await freePort()
    const starter = await startElsewhere(port)
    const rpcUrl = `http://127.0.0.1:${port}`
    await deployChain(rpcUrl)
    await publishRoot({ rpcUrl, group: 'staging', root: 7n })
    const guards = descendants(starter.pid ?? 0).filter((pid) => pid !== chainPid())
    for (const pid of [...guards, starter.pid ?? 0]) process.kill(pid, 'SIGKILL')
    await new Promise((resolve) => starter.once('exit', resolve))
    expect(await isRootKnown(await start(port), 7n)).toBe(true)
  })

  test('a new start does not end a chain while its starter is running', async () => {
    const port = await freePort()
    const anvil = await start(port)
    await expect(startAnvil({ port, stateFile })).rejects.toThrow(/in use/)
    expect(await (await connectLocalChain(anvil.rpcUrl)).getChainId()).toBe(31337)
  })
})

const chainPid = () => Number(readFileSync(`${stateFile}.pid`, 'utf8').split(' ')[1])

/** Starts the chain in another process, which then runs `rest`. Resolves when the chain is ready. */
async function startElsewhere(
  port: number,
  rest = 'setInterval(() => {}, 1000)',
): Promise<ChildProcess> {
  const module = new URL('../../../local/chain/anvil.ts', import.meta.url).href
  const script = `
    const { startAnvil } = await import(${JSON.stringify(module)})
    await startAnvil(${JSON.stringify({ port, stateFile })})
    console.log('ready')
    ${rest}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

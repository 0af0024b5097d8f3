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

const running: Anvil[] = []
let folder: string
let stateFile: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-anvil-'))
  stateFile = join(folder, 'chain', 'state.json')
})
afterEach(async () => {
  for (const anvil of running.splice(0)) await anvil.stop()
  rmSync(folder, { recursive: true, force: true })
})

const said: string[] = []

async function start(port?: number): Promise<Anvil> {
  said.length = 0
  const log = (line: string) => said.push(line)
  const anvil = await startAnvil({ port: port ?? (await freePort()), stateFile, log })
  running.push(anvil)
  return anvil
}

async function known({ rpcUrl }: { rpcUrl: string }, root: bigint): Promise<boolean> {
  const { groups } = await deployChain(rpcUrl)
  const record = await createGroupContract({
    rpcUrl,
    chainId: CHAIN_ID,
    timeoutMs: 20_000,
  }).queryRoot(groups.staging, root)
  return record.known
}

/** A chain with one published root, and with that root in its state file. */
async function withRoot(rpcUrl: string, root: bigint): Promise<void> {
  await deployChain(rpcUrl)
  await publishRoot({ rpcUrl, group: 'staging', root })
  const block = Number(await (await connectLocalChain(rpcUrl)).getBlockNumber())
  const kept = () => JSON.parse(readFileSync(stateFile, 'utf8')).best_block_number
  await vi.waitUntil(() => attempt(kept) === block, { timeout: 30_000, interval: 20 })
}

function attempt<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch {
    return null
  }
}

describe('the local chain', () => {
  test('is anvil with the chain id 31337, for this machine only', async () => {
    const { rpcUrl } = await start()
    expect(rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await connectLocalChain(rpcUrl)).getChainId()).toBe(31337)
  })

  test('says so when its port is in use', async () => {
    const port = await freePort()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    await expect(start(port)).rejects.toThrow(
      `Port ${port}, where the local chain should listen, is in use`,
    )
    other.close()
  })

  test('can be stopped twice', async () => {
    const anvil = await start()
    await anvil.stop()
    await expect(anvil.stop()).resolves.toBeUndefined()
  })

  test('says so when it ends by itself, and not when it is stopped', async () => {
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

  test('ends with a starter that fails', async () => {
    const port = await freePort()
    const starter = await startElsewhere(port, "throw new Error('anything')")
    await vi.waitUntil(() => starter.exitCode !== null, { timeout: 30_000, interval: 20 })
    await vi.waitUntil(() => isFree(port), { timeout: 30_000, interval: 20 })
    expect(await isFree(port)).toBe(true)
  })
})

describe('the state of the local chain', () => {
  test('is kept when it is stopped and started again', async () => {
    const first = await start()
    const addresses = await deployChain(first.rpcUrl)
    await publishRoot({ rpcUrl: first.rpcUrl, group: 'staging', root: 7n })
    await first.stop()
    const second = await start()
    expect(await known(second, 7n)).toBe(true)
    expect(await known(second, 8n)).toBe(false)
    expect(await deployChain(second.rpcUrl)).toEqual(addresses)
    expect(await publishRoot({ rpcUrl: second.rpcUrl, group: 'staging', root: 7n })).toBe(false)
  })

  test('is kept when the program is killed, once the second is over', async () => {
    const first = await start()
    await withRoot(first.rpcUrl, 7n)
    process.kill(chainPid(), 'SIGKILL')
    expect(await known(await start(), 7n)).toBe(true)
  })

  test('goes back to that of the last start when half of it was written', async () => {
    const first = await start()
    await withRoot(first.rpcUrl, 7n)
    await first.stop()
    const second = await start()
    await publishRoot({ rpcUrl: second.rpcUrl, group: 'staging', root: 8n })
    await second.stop()
    truncateSync(stateFile, 1000)
    const third = await start()
    expect(said).toEqual([expect.stringMatching(/is damaged: it goes back/)])
    expect(await known(third, 7n)).toBe(true)
    expect(await known(third, 8n)).toBe(false)
  })

  test('starts a new chain when there is no complete state to restore', async () => {
    await (await start()).stop()
    truncateSync(stateFile, 0)
    const { rpcUrl } = await start()
    expect(said).toEqual([expect.stringMatching(/is damaged: it begins again/)])
    expect(await (await connectLocalChain(rpcUrl)).getBlockNumber()).toBe(0n)
  })

  test('is kept by a chain whose starter was killed, which ends, and frees its port', async () => {
    const port = await freePort()
    const starter = await startElsewhere(port)
    const rpcUrl = `http://127.0.0.1:${port}`
    await deployChain(rpcUrl)
    await publishRoot({ rpcUrl, group: 'staging', root: 7n })
    starter.kill('SIGKILL')
    await vi.waitUntil(() => isFree(port), { timeout: 30_000 })
    expect(await known(await start(port), 7n)).toBe(true)
  })

  test('is taken over from a chain that outlived its starter, on the same port', async () => {
    const port = await freePort()
    const starter = await startElsewhere(port)
    const rpcUrl = `http://127.0.0.1:${port}`
    await deployChain(rpcUrl)
    await publishRoot({ rpcUrl, group: 'staging', root: 7n })
    const guards = descendants(starter.pid ?? 0).filter((pid) => pid !== chainPid())
    for (const pid of [...guards, starter.pid ?? 0]) process.kill(pid, 'SIGKILL')
    await new Promise((resolve) => starter.once('exit', resolve))
    expect(await known(await start(port), 7n)).toBe(true)
  })

  test('is not taken from a chain whose starter lives', async () => {
    const port = await freePort()
    const anvil = await start(port)
    await expect(startAnvil({ port, stateFile })).rejects.toThrow(/in use/)
    expect(await (await connectLocalChain(anvil.rpcUrl)).getChainId()).toBe(31337)
  })
})

const chainPid = () => Number(readFileSync(`${stateFile}.pid`, 'utf8').split(' ')[1])

/** Another process starts the chain, says when it is ready, and goes on to `rest`. */
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

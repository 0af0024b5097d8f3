import { setTimeout as sleep } from 'node:timers/promises'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { p } from '../../../lib/proof/field.ts'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import { createVerifiers } from '../../../lib/proof/pairing/groth16/groth16-verifier.ts'
import { curveCompiled, prepareMclVerifier } from '../../../lib/proof/pairing/mcl-verifier.ts'
import { startGroth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import { sharePairingEngine } from '../../../lib/verification/threads/shared-pairing-engine.ts'
import { type Figure, percentile } from '../report/figure.ts'

const ROUNDS = 21
const WARM_UP = 300

/** The wait for the cleanup after a pool is closed. */
const SETTLE_MS = 100

const { decoded, signals, key: keyName } = realProof('hola-mundo')

/**
 * Compares the CPU time of the pairing engine with mcl-wasm on one thread, in turns. Also measures a flood of invalid proofs, and
 * the start of a thread.
 */
export async function measurePairingEngine(): Promise<Figure[]> {
  return [await measureOneThread(), await measureFlood(), await measureThreadStart()]
}

async function measureOneThread(): Promise<Figure> {
  const { engine, oracle } = await createBothVerifiers()
  for (let i = 0; i < WARM_UP; i++) engine()
  for (let i = 0; i < WARM_UP / 10; i++) oracle()
  const [engineMs, mclMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    mclMs.push(measureCpuMs(() => repeat(6, oracle)) / 6)
    engineMs.push(measureCpuMs(() => repeat(30, engine)) / 30)
  }
  const [verifyWithEngine, mcl] = [percentile(engineMs, 0.5), percentile(mclMs, 0.5)]
  return {
    name: 'checks of a proof per second of CPU, one thread ÷ mcl-wasm',
    value: 1_000 / verifyWithEngine,
    unit: '/s',
    baseline: 1_000 / mcl,
    target: { atLeast: process.versions.node.startsWith('22.') ? 4 : 7 },
  }
}

async function createBothVerifiers() {
  await curveCompiled
  const key = ceremonyKeys.get(keyName)
  const engine = sharePairingEngine(ceremonyKeys)
  const verifyWithEngine = engine && createVerifiers(engine.module, engine.tables).get(keyName)
  if (!key || !verifyWithEngine)
    throw new Error('This machine does not support the pairing engine.')
  const mcl = prepareMclVerifier(key)
  return { engine: () => verifyWithEngine(decoded, signals), oracle: () => mcl(decoded, signals) }
}

/** Compares the CPU time of proofs that only the last step rejects with the CPU time of valid proofs. */
async function measureFlood(): Promise<Figure> {
  const pool = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 1_000 })
  await pool.warmUp()
  const { a, b, c } = decoded
  const proofs = { valid: decoded, invalid: { a, b, c: [c[0], p - c[1]] as const } }
  const verifyMany = (proof: typeof decoded) =>
    Promise.all(Array.from({ length: 200 }, () => pool.verify([keyName], proof, signals)))
  await verifyMany(proofs.valid)
  const [valid, invalid]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    valid.push(await measureAsyncCpuMs(() => verifyMany(proofs.valid)))
    invalid.push(await measureAsyncCpuMs(() => verifyMany(proofs.invalid)))
  }
  await pool.close()
  return {
    name: 'CPU of a flood of invalid proofs ÷ as many valid proofs',
    value: percentile(invalid, 0.5) / 200,
    unit: 'ms',
    baseline: percentile(valid, 0.5) / 200,
    target: { atMost: 1.1 },
  }
}

/** Measures the time from the start of a pool to its thread's first result, in a process that has already had a pool. */
async function measureThreadStart(): Promise<Figure> {
  const samples: number[] = []
  for (let round = 0; round < 7; round++) {
    const startTime = performance.now()
    const pool = startGroth16Pool(ceremonyKeys, { threads: 1, maxQueue: 10 })
    await pool.verify([keyName], decoded, signals)
    samples.push(performance.now() - startTime)
    await pool.close()
    await sleep(SETTLE_MS)
  }
  return {
    name: 'from the start of a thread to its first result',
    value: percentile(samples, 0.5),
    unit: 'ms',
  }
}

function repeat(count: number, check: () => boolean) {
  for (let i = 0; i < count; i++) if (!check()) throw new Error('A verifier rejected a real proof.')
}

function measureCpuMs(work: () => void): number {
  const startUsage = process.cpuUsage()
  work()
  return toMilliseconds(process.cpuUsage(startUsage))
}

async function measureAsyncCpuMs(work: () => Promise<unknown>): Promise<number> {
  const startUsage = process.cpuUsage()
  await work()
  return toMilliseconds(process.cpuUsage(startUsage))
}

function toMilliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}

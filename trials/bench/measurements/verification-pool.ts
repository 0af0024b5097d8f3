import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import {
  type Groth16Pool,
  startGroth16Pool,
} from '../../../lib/verification/threads/groth16-pool.ts'
import type { Figure } from '../report/figure.ts'

const ROUNDS = 3
const ROUND_MS = 3_000

/**
 * Compares real proofs verified per second: the pool with a thread for each core, and as many processes with plain snarkjs. The
 * two take turns, so that other load on the machine affects both.
 */
export async function measureVerificationPool(): Promise<Figure[]> {
  const cores = availableParallelism()
  const snarkjsProcesses = await startSnarkjsProcesses(cores)
  const pool = startGroth16Pool(ceremonyKeys, { threads: cores, maxQueue: 1_000 })
  await pool.warmUp()
  let [poolCount, snarkjsCount] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    snarkjsCount += await runSnarkjsProcesses(snarkjsProcesses)
    poolCount += await runPool(pool, cores)
  }
  for (const child of snarkjsProcesses) child.kill()
  await pool.close()
  const perSecond = (count: number) => (1_000 * count) / (ROUNDS * ROUND_MS)
  return [
    {
      name: `Groth16 verifications, ${cores} threads ÷ ${cores} × snarkjs`,
      value: perSecond(poolCount),
      unit: '/s',
      baseline: perSecond(snarkjsCount),
      target: { atLeast: process.versions.node.startsWith('22.') ? 12 : 18 },
    },
  ]
}

async function startSnarkjsProcesses(count: number): Promise<ChildProcess[]> {
  const module = fileURLToPath(new URL('../contenders/snarkjs-process.ts', import.meta.url))
  const children = Array.from({ length: count }, () => fork(module))
  await Promise.all(children.map((child) => once(child, 'message')))
  return children
}

async function runSnarkjsProcesses(children: readonly ChildProcess[]): Promise<number> {
  const counts = await Promise.all(
    children.map(async (child) => {
      child.send(ROUND_MS)
      const [count]: unknown[] = await once(child, 'message')
      return Number(count)
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Sends four proofs at a time for each thread of the pool, so that no thread has to wait for a proof. */
async function runPool(pool: Groth16Pool, threads: number): Promise<number> {
  const { decoded, signals } = realProof('hola-mundo')
  const end = performance.now() + ROUND_MS
  let count = 0
  async function caller() {
    for (; performance.now() < end; count++)
      if (!(await pool.verify(['semaphore-v3-depth-30'], decoded, signals)))
        throw new Error('The pool rejected a real proof.')
  }
  await Promise.all(Array.from({ length: 4 * threads }, caller))
  return count
}

import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { realProof } from '../../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import { PROOFS_PER_THREAD } from '../../../../lib/verification/threads/groth16-pool.ts'
import { startMeasuredPool } from '../../../../lib/verification/threads/measured-pool.ts'

const { decoded, signals, key } = realProof('hola-mundo')

test('proof_wait_seconds measures the whole wait of 100 concurrent proofs', async () => {
  const registry = new Registry()
  const pool = await startMeasuredPool(
    ceremonyKeys,
    {
      PROCESSES: 1,
      VERIFIER_THREADS: 1,
      VERIFIER_MAX_QUEUE: 1_000,
      VERIFIER_CROSS_CHECK_ONE_IN: 1_000_000,
    },
    { registry, log: pino({ enabled: false }) },
  )
  const startedAt = performance.now()
  const verifications = Array.from({ length: 100 }, () =>
    pool.verify({ keyNames: [key], proof: decoded, signals }, ['app']),
  )
  expect(pool.queueLength()).toBe(100 - PROOFS_PER_THREAD)
  const elapsed = () => (performance.now() - startedAt) / 1_000
  const half = verifications[49]?.then(elapsed)
  expect(new Set(await Promise.all(verifications))).toEqual(new Set([true]))
  const { p50, p99 } = await waits(registry)
  expect(p99).toBeGreaterThan((await half) ?? Number.NaN)
  expect(p99).toBeLessThan(elapsed())
  expect(p50).toBeLessThan(p99)
  expect(await waits(registry)).toEqual({ p50: 0, p99: 0 })
  await pool.close()
})

async function waits(registry: Registry) {
  const { values = [] } = (await registry.getSingleMetric('proof_wait_seconds')?.get()) ?? {}
  const [p50 = Number.NaN, p99 = Number.NaN] = values.map(({ value }) => value)
  return { p50, p99 }
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { SECONDS } from '../lib/metrics.ts'
import type { Groth16 } from '../proof/groth16.ts'

/** What there is to know about proofs being checked. */
export function verificationMetrics(registry: Registry) {
  const registers = [registry]
  return {
    proofSeconds: new Histogram({
      name: 'proof_seconds',
      help: 'From a decoded proof to the verdict of the pairing, with the wait for a thread',
      buckets: SECONDS,
      registers,
    }),
    rootLookups: new Counter({
      name: 'root_lookups_total',
      help: 'Roots looked up, by who answered: `memory`, `chain`, or a question `under_way`',
      labelNames: ['answer'],
      registers,
    }),
    measurePool(pool: Groth16) {
      new Gauge({
        name: 'proof_queue_length',
        help: 'Proofs that wait for a free thread',
        registers,
        collect() {
          this.set(pool.queued)
        },
      })
      new Gauge({
        name: 'proof_wait_seconds',
        help: 'How long proofs waited for a thread since the last look at this',
        labelNames: ['quantile'],
        registers,
        collect() {
          const { p50, p99 } = pool.takeWaits()
          this.set({ quantile: '0.5' }, p50)
          this.set({ quantile: '0.99' }, p99)
        },
      })
    },
  }
}

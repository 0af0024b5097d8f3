import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { DURATION_BUCKETS } from '../runtime/telemetry/metrics.ts'

/** The metrics of the verification of proofs. */
export function verificationMetrics(registry: Registry) {
  const registers = [registry]
  return {
    proofSeconds: new Histogram({
      name: 'proof_seconds',
      help: 'From a decoded proof to the verdict of the pairing, including the wait for a thread',
      buckets: DURATION_BUCKETS,
      registers,
    }),
    rootLookups: new Counter({
      name: 'root_lookups_total',
      help: 'Roots looked up, by where the answer came from: `memory`, `chain`, or a query `under_way`',
      labelNames: ['answer'],
      registers,
    }),
    measurePool(pool: { queueLength(): number; takeWaits(): { p50: number; p99: number } }) {
      new Gauge({
        name: 'proof_queue_length',
        help: 'Proofs waiting for a free thread',
        registers,
        collect() {
          this.set(pool.queueLength())
        },
      })
      new Gauge({
        name: 'proof_wait_seconds',
        help: 'How long proofs have waited for their turn at a thread since the last scrape',
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

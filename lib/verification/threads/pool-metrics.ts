import { Gauge, Histogram, type Registry } from 'prom-client'
import { DURATION_BUCKETS } from '../../runtime/telemetry/metrics.ts'

/** The figures for the gauges of the pool. */
type PoolFigures = { queueLength(): number; takeWaits(): { p50: number; p99: number } }

/** Registers the metrics of the pool; returns the histogram of the verifications. */
export function measurePool(registry: Registry, { queueLength, takeWaits }: PoolFigures) {
  const registers = [registry]
  new Gauge({
    name: 'proof_queue_length',
    help: 'Proofs waiting for a free thread',
    registers,
    collect() {
      this.set(queueLength())
    },
  })
  new Gauge({
    name: 'proof_wait_seconds',
    help: 'How long proofs waited for a thread since the last scrape',
    labelNames: ['quantile'],
    registers,
    // The metrics of several processes are put together, and a sum of quantiles would mean nothing.
    aggregator: 'max',
    collect() {
      const { p50, p99 } = takeWaits()
      this.set({ quantile: '0.5' }, p50)
      this.set({ quantile: '0.99' }, p99)
    },
  })
  return new Histogram({
    name: 'proof_seconds',
    help: 'Time from a decoded proof to the verdict of the pairing, including the wait for a thread',
    buckets: DURATION_BUCKETS,
    registers,
  })
}

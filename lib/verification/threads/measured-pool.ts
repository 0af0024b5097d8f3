import { createHistogram } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import type { AcceptedKeys } from '../../proof/accepted-keys.ts'
import { type SharedConfig, shareOfProcess } from '../../runtime/config.ts'
import { ApiError } from '../../runtime/errors.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { VerificationTask } from './checked-verifier.ts'
import { PROOFS_PER_THREAD, startGroth16Pool } from './groth16-pool.ts'
import { recordPairingEvents } from './pairing-events.ts'
import { measurePool } from './pool-metrics.ts'

/** The pool of threads, with a fair queue for callers and with metrics. */
export type MeasuredPool = {
  /**
   * Verifies a proof. If proofs wait, the caller with the least recent use of the threads comes first.
   *
   * @throws unavailable when too many proofs wait, or when a thread dies
   */
  verify(task: VerificationTask, callers: readonly string[]): Promise<boolean>
  threads: number
  /** The number of proofs that wait. */
  queueLength(): number
  /** Ends the threads. */
  close(): Promise<void>
}

type PoolConfig = Pick<
  SharedConfig,
  'PROCESSES' | 'VERIFIER_THREADS' | 'VERIFIER_MAX_QUEUE' | 'VERIFIER_CROSS_CHECK_ONE_IN'
>

/** Starts the threads, and warms them up. */
export async function startMeasuredPool(
  keys: AcceptedKeys['byName'],
  config: PoolConfig,
  { registry, log }: { registry: Registry; log: Log },
): Promise<MeasuredPool> {
  const threads = shareOfProcess(config.VERIFIER_THREADS, config)
  const maxQueue = shareOfProcess(config.VERIFIER_MAX_QUEUE, config)
  const pool = startGroth16Pool(keys, {
    threads,
    maxQueue,
    crossCheckOneIn: config.VERIFIER_CROSS_CHECK_ONE_IN,
    onPairingEvent: recordPairingEvents(registry, log),
  })
  await pool.warmUp()
  const queue = proofQueue(threads, maxQueue)
  const queueLength = () => pool.queueLength + queue.length
  const waits = recentWaits()
  const proofSeconds = measurePool(registry, { queueLength, takeWaits: waits.take })
  return {
    async verify({ keyNames, proof, signals }, callers) {
      const stopTimer = proofSeconds.startTimer()
      const arrivedAt = performance.now()
      try {
        const leave = await queue.enter(callers)
        waits.add(performance.now() - arrivedAt)
        return await pool.verify(keyNames, proof, signals).finally(leave)
      } catch (cause) {
        throw new ApiError('unavailable', { cause })
      } finally {
        stopTimer()
      }
    },
    threads,
    queueLength,
    close: () => pool.close(),
  }
}

/**
 * Creates the fair queue in front of the pool. It passes on no more proofs than the threads take, because the queue inside
 * the pool is not fair.
 */
function proofQueue(threads: number, maxWaiting: number): FairQueue {
  const places = PROOFS_PER_THREAD * threads
  return createFairQueue({
    places,
    placesPerCaller: places,
    placesForHeavy: places,
    maxWaiting,
    maxWaitingPerCaller: Math.ceil(maxWaiting / 2),
    maxWaitMs: PROOF_MAX_WAIT_MS,
  })
}

/** This is longer than the verification of a full queue takes. */
const PROOF_MAX_WAIT_MS = 10_000

function recentWaits() {
  const histogram = createHistogram()
  return {
    add(ms: number) {
      histogram.record(Math.max(1, Math.round(ms * 1e6)))
    },
    /** Returns percentiles of the waits since the last call, in seconds; 0 if there were no proofs. */
    take() {
      const [p50, p99] = [histogram.percentile(50) / 1e9, histogram.percentile(99) / 1e9]
      histogram.reset()
      return { p50, p99 }
    },
  }
}

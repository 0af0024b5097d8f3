import { createHistogram } from 'node:perf_hooks'
import type { AcceptedKeys } from '../../proof/accepted-keys.ts'
import { type SharedConfig, shareOfProcess } from '../../runtime/config.ts'
import { ApiError } from '../../runtime/errors.ts'
import { type FairQueue, fairQueue } from '../../runtime/limits/fair-queue.ts'
import type { Groth16Task } from '../check/verify-proof.ts'
import type { verificationMetrics } from '../metrics.ts'
import { PROOFS_PER_THREAD, startGroth16Pool } from './groth16-pool.ts'
import type { EngineEvent } from './pairing-event.ts'

type PoolConfig = Pick<
  SharedConfig,
  'PROCESSES' | 'VERIFIER_THREADS' | 'VERIFIER_MAX_QUEUE' | 'VERIFIER_CROSS_CHECK_ONE_IN'
>

type PoolObservers = Pick<
  ReturnType<typeof verificationMetrics>,
  'measurePool' | 'proofSeconds'
> & { onEngineEvent: (event: EngineEvent) => void }

/**
 * Starts the threads, warms them up, gives them proofs in the callers' turns, and measures every verification and how long
 * it waited for its turn.
 */
export async function startMeasuredPool(
  keys: AcceptedKeys['byName'],
  config: PoolConfig,
  { measurePool, proofSeconds, onEngineEvent }: PoolObservers,
) {
  const threads = shareOfProcess(config.VERIFIER_THREADS, config)
  const maxQueue = shareOfProcess(config.VERIFIER_MAX_QUEUE, config)
  const pool = startGroth16Pool(keys, {
    threads,
    maxQueue,
    crossCheckOneIn: config.VERIFIER_CROSS_CHECK_ONE_IN,
    onEngineEvent,
  })
  await pool.warmUp()
  const queue = proofQueue(threads, maxQueue)
  const queueLength = () => pool.queueLength + queue.length
  const waits = recentWaits()
  measurePool({ queueLength, takeWaits: waits.take })
  return {
    async verify(task: Groth16Task, callers: readonly string[]) {
      const stopTimer = proofSeconds.startTimer()
      const came = performance.now()
      try {
        const leave = await queue.enter(callers)
        waits.add(performance.now() - came)
        return await pool.verify(...task).finally(leave)
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

/** Who may give the threads a proof. More than a thread has at a time would only wait there, where it is nobody's turn. */
function proofQueue(threads: number, maxWaiting: number): FairQueue {
  const places = PROOFS_PER_THREAD * threads
  return fairQueue({
    places,
    placesPerCaller: places,
    placesForHeavy: places,
    maxWaiting,
    maxWaitingPerCaller: Math.ceil(maxWaiting / 2),
    maxWaitMs: PROOF_MAX_WAIT_MS,
  })
}

/** Longer than it takes to check as many proofs as may wait. */
const PROOF_MAX_WAIT_MS = 10_000

function recentWaits() {
  const histogram = createHistogram()
  return {
    add(ms: number) {
      histogram.record(Math.max(1, Math.round(ms * 1e6)))
    },
    /** In seconds, since the last call; 0 if nobody came. */
    take() {
      const [p50, p99] = [histogram.percentile(50) / 1e9, histogram.percentile(99) / 1e9]
      histogram.reset()
      return { p50, p99 }
    },
  }
}

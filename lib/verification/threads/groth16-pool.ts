import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { z } from 'zod'
import type { G2 } from '../../proof/field.ts'
import type { AnyProof, Signals, VerificationKey } from '../../proof/pairing/verification-key.ts'
import type { VerificationTask } from './checked-verifier.ts'
import type { ThreadData } from './groth16-thread.ts'
import { FALLBACK_REASONS, type PairingEvent } from './pairing-events.ts'
import { sharePairingEngine } from './shared-pairing-engine.ts'

/** A pool of threads that verify Groth16 proofs. */
export type Groth16Pool = {
  /**
   * Returns true if any of the named keys accepts a proof for these signals.
   *
   * @param signals merkle_root, nullifier_hash, signal_hash, external_nullifier
   * @throws Overloaded when the queue is full
   * @throws ThreadLost when the thread failed before it answered: the proof may be valid or not
   */
  verify(keyNames: readonly string[], proof: AnyProof, signals: Signals): Promise<boolean>
  /** Resolves when every thread runs at full speed. */
  warmUp(): Promise<void>
  /** The number of proofs that wait for a free thread. */
  readonly queueLength: number
  /** Finishes all verifications, and ends the threads. Call `verify` no more. */
  close(): Promise<void>
}

/** An error: the queue is full; the caller may retry shortly. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
}

/** An error: the thread failed before it answered. A new thread replaces a thread that ended. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'
}

type Options = {
  threads: number
  /** The most proofs that wait, not counting the proofs that threads are verifying. */
  maxQueue: number
  /** On average, mcl-wasm cross-checks one verification in this many. */
  crossCheckOneIn?: number
  /** Called for each event of the threads' pairing engines. */
  onPairingEvent?: (event: PairingEvent) => void
  /** The module that the threads run. */
  thread?: URL
}

/**
 * The number of proofs that a thread has: the current and the next proof. With a single proof, the thread would sleep
 * until the busy main thread has read its answer. Waking a thread costs more than sending a proof.
 */
export const PROOFS_PER_THREAD = 2

/** Starts the threads, each with all keys. */
export function startGroth16Pool(
  keys: ReadonlyMap<string, VerificationKey>,
  options: Options,
): Groth16Pool {
  const pool = startThreads(keys, options)
  const { threads, maxQueue } = options
  const running = new Set<Promise<boolean>>()
  const countWaiting = () => Math.max(0, running.size - threads)

  async function verify(keyNames: readonly string[], proof: AnyProof, signals: Signals) {
    const unknown = keyNames.find((name) => !keys.has(name))
    if (unknown !== undefined) throw new TypeError(`There is no verification key named ${unknown}.`)
    if (running.size >= threads + maxQueue) throw new Overloaded('Too many proofs are waiting.')
    const verification = pool.run({ keyNames, proof, signals })
    running.add(verification)
    try {
      return await verification
    } catch (cause) {
      throw new ThreadLost('The verifying thread failed before it answered.', { cause })
    } finally {
      running.delete(verification)
    }
  }

  return {
    verify,
    warmUp: () => warmUpThreads(pool, [...keys.keys()]),
    get queueLength() {
      return countWaiting()
    },
    async close() {
      // Piscina's `close` would end a thread while another thread is still verifying.
      await Promise.allSettled(running)
      await pool.close()
    },
  }
}

type ThreadPool = Piscina<VerificationTask, boolean>

function startThreads(
  keys: ReadonlyMap<string, VerificationKey>,
  {
    threads,
    crossCheckOneIn = 1_000,
    onPairingEvent = () => {},
    thread = new URL('./groth16-thread.ts', import.meta.url),
  }: Options,
): ThreadPool {
  const data: ThreadData = { keys, engine: sharePairingEngine(keys), crossCheckOneIn }
  const pool: ThreadPool = new Piscina({
    filename: fileURLToPath(thread),
    name: 'verify',
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: PROOFS_PER_THREAD,
    // By default, a proof that finds no free thread would go back to the end of the queue.
    stricterFIFO: true,
    workerData: data,
  })
  // A thread that ends between two proofs is replaced; no caller is affected.
  pool.on('error', () => {})
  pool.on('message', (message: unknown) => {
    const { data: event } = ThreadMessage.safeParse(message)
    if (event) onPairingEvent(event)
  })
  return pool
}

/** The events that threads send. Piscina sends further messages on the same channel. */
const ThreadMessage = z.discriminatedUnion('event', [
  z.object({ event: z.literal('cross_checked') }),
  z.object({ event: z.literal('fell_back'), reason: z.enum(FALLBACK_REASONS) }),
])

/** Runs each thread several times, because the first runs compile WebAssembly and are many times slower. */
async function warmUpThreads(pool: ThreadPool, keyNames: string[]) {
  const rounds = Array.from({ length: WARM_UP_ROUNDS * pool.maxThreads })
  await Promise.all(rounds.map(() => pool.run({ keyNames, ...WARM_UP_TASK })))
}

const WARM_UP_ROUNDS = 8

/** The generator of the twist's subgroup on which the pairing is defined. */
const TWIST_GENERATOR: G2 = [
  [
    10857046999023057135944570762232829481370756359578518086990519993285655852781n,
    11559732032986387107991004021392285783925812861821192530917403151452391805634n,
  ],
  [
    8495653923123431417604973247489272438418190587263600148770280649306958101930n,
    4082367875863433681332203403145435568316851327593401208105741076214120093531n,
  ],
]

/**
 * The curves' generators. They prove nothing, but pass every check before the pairing, so the whole verification runs.
 */
const WARM_UP_TASK: Pick<VerificationTask, 'proof' | 'signals'> = {
  proof: { a: [1n, 2n], b: TWIST_GENERATOR, c: [1n, 2n] },
  signals: [1n, 2n, 3n, 4n],
}

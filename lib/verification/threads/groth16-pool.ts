import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { z } from 'zod'
import type { Proof } from '../../proof/encoding.ts'
import type { G2 } from '../../proof/field.ts'
import type { Signals, VerificationKey } from '../../proof/pairing/verification-key.ts'
import type { VerificationTask } from './checked-verifier.ts'
import type { ThreadData } from './groth16-thread.ts'
import { FALLBACK_REASONS, type PairingEvent } from './pairing-events.ts'
import { sharePairingEngine } from './shared-pairing-engine.ts'

/** A pool of threads that verify Groth16 proofs. */
export type Groth16Pool = {
  /**
   * Whether one of the named keys accepts a proof for these signals.
   *
   * @param signals merkle_root, nullifier_hash, signal_hash, external_nullifier
   * @throws Overloaded when the queue is full
   * @throws ThreadLost when the thread died before it answered: nothing is known about the proof
   */
  verify(keyNames: readonly string[], proof: Proof, signals: Signals): Promise<boolean>
  /** Resolves when every thread runs at full speed. */
  warmUp(): Promise<void>
  /** How many proofs are waiting for a free thread. */
  readonly queueLength: number
  /** Finishes the running verifications, drops the waiting ones, and ends the threads. */
  close(): Promise<void>
}

/** As many proofs are waiting as the configuration allows; the caller may try again shortly. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
}

/** A thread ended in the middle of a verification, or of the one before it; another thread takes its place. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'
}

type Options = {
  threads: number
  /** How many proofs may wait, besides those being verified. */
  maxQueue: number
  /** One verification in so many is checked by mcl-wasm, too. */
  crossCheckOneIn?: number
  /** Called for each event of the threads' pairing engines. */
  onPairingEvent?: (event: PairingEvent) => void
  /** The module that the threads run. */
  thread?: URL
}

/**
 * How many proofs a thread has: the one that it checks, and the next one. Without that it would sleep until this thread,
 * which has much else to do, has read its answer: waking it costs more than handing a proof over.
 */
export const PROOFS_PER_THREAD = 2

/** Starts the threads, each with all keys prepared. */
export function startGroth16Pool(
  keys: ReadonlyMap<string, VerificationKey>,
  options: Options,
): Groth16Pool {
  const pool = startThreads(keys, options)
  const { threads, maxQueue } = options
  let unanswered = 0
  const waiting = () => Math.max(0, unanswered - threads)

  async function verify(keyNames: readonly string[], proof: Proof, signals: Signals) {
    const unknown = keyNames.find((name) => !keys.has(name))
    if (unknown !== undefined) throw new TypeError(`There is no verification key named ${unknown}.`)
    if (unanswered >= threads + maxQueue) throw new Overloaded('Too many proofs are waiting.')
    unanswered++
    try {
      return await pool.run({ keyNames, proof, signals })
    } catch (cause) {
      throw new ThreadLost('The verifying thread ended before it answered.', { cause })
    } finally {
      unanswered--
    }
  }

  return {
    verify,
    warmUp: () => warmUpThreads(pool, [...keys.keys()]),
    get queueLength() {
      return waiting()
    },
    close: () => pool.close(),
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
    // Without it a proof that finds no free thread goes back to the end of the queue.
    stricterFIFO: true,
    workerData: data,
  })
  // A thread that ends between two proofs is replaced, and no caller is affected.
  pool.on('error', () => {})
  pool.on('message', (message: unknown) => {
    const { data: event } = ThreadMessage.safeParse(message)
    if (event) onPairingEvent(event)
  })
  return pool
}

/** What threads say besides answers; the pool's library has messages of its own. */
const ThreadMessage = z.discriminatedUnion('event', [
  z.object({ event: z.literal('cross_checked') }),
  z.object({ event: z.literal('fell_back'), reason: z.enum(FALLBACK_REASONS) }),
])

/** Runs each thread several times: the first runs compile WebAssembly and are many times slower than later ones. */
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

/** The curves' generators: they pass every check, so that the whole verification runs, and prove nothing. */
const WARM_UP_TASK: Pick<VerificationTask, 'proof' | 'signals'> = {
  proof: { a: [1n, 2n], b: TWIST_GENERATOR, c: [1n, 2n] },
  signals: [1n, 2n, 3n, 4n],
}

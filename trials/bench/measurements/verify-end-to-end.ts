import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { externalNullifier, parseField, parseProof } from '../../../lib/proof/encoding.ts'
import { parseVerificationKey } from '../../../lib/proof/keys.ts'
import { startGroth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { startThrowawayPlatform } from '../../../packages/platform/testing/throwaway.ts'
import { type Call, runClosedLoop, runOpenLoop } from '../load/http-load.ts'
import {
  ACTION,
  APP,
  forgeVerifications,
  publishPeopleRoot,
} from '../load/verification-requests.ts'
import { forgeVerifications4, publishFacts4 } from '../load/verification-requests-4.ts'
import { type Figure, percentile } from '../report/figure.ts'

/** A server reaches its full speed only after some thousand requests, once its code is compiled. */
const WARM_UP = 4_000
const PEOPLE_PER_ROUND = 1_000
const ROUNDS = 3
/** Forging a proof of protocol 4.0 takes some milliseconds, most of them to compress it. */
const WARM_UP_4 = 1_000
const PEOPLE_PER_ROUND_4 = 1_000
/** The first people of protocol 3.0 have been counted by the other measurements. */
const FIRST_PERSON_3 = WARM_UP + PEOPLE_PER_ROUND * (ROUNDS + 1)
const CONNECTIONS = 16 * availableParallelism()

/**
 * Compares the throughput of `POST /api/v2/verify` with that of the thread pool, which only verifies the same proofs. The
 * people are distinct, the commits and the calls to GraphQL are real. Then measures the latency at 80 % of the capacity.
 */
export async function measureVerifyEndToEnd(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  try {
    const { baseUrl } = platform.facts
    await publishPeopleRoot(platform.facts)
    const calls = await forgeVerifications(WARM_UP + PEOPLE_PER_ROUND * (ROUNDS + 1))
    await runClosedLoop(baseUrl, calls.splice(0, WARM_UP), CONNECTIONS)
    const latency = calls.splice(0, PEOPLE_PER_ROUND)
    const throughput = await measureThroughput(baseUrl, calls)
    const rate = 0.8 * throughput.value
    const latencyFigure = await measureLatency(baseUrl, latency, rate)
    return [throughput, latencyFigure, await measureProtocols(platform.facts)]
  } finally {
    await platform.stop()
  }
}

/** Measures the API and the pool in turns, so that other load on the machine affects both. */
async function measureThroughput(baseUrl: string, calls: Call[]): Promise<Figure> {
  const total = calls.length
  const pool = await startForgedProofPool()
  let [poolSeconds, apiSeconds] = [0, 0]
  while (calls.length > 0) {
    const round = calls.splice(0, PEOPLE_PER_ROUND)
    poolSeconds += await pool.time(round)
    const { samples, seconds } = await runClosedLoop(baseUrl, round, CONNECTIONS)
    requireAccepted(samples)
    apiSeconds += seconds
  }
  await pool.close()
  return {
    name: 'POST /api/v2/verify ÷ the pool alone',
    value: total / apiSeconds,
    unit: '/s',
    baseline: total / poolSeconds,
    // A verification takes 1.6 ms of CPU: 0.6 ms for the proof, and the rest for HTTP, GraphQL and the commit.
    target: { atLeast: 0.4 },
  }
}

async function measureLatency(
  baseUrl: string,
  calls: readonly Call[],
  rate: number,
): Promise<Figure> {
  const samples = await runOpenLoop(baseUrl, calls, rate)
  requireAccepted(samples)
  const ms = samples.map((sample) => sample.ms)
  const [p50, p99] = [percentile(ms, 0.5), percentile(ms, 0.99)]
  const name = `p99 ÷ p50 at ${Math.round(rate)}/s, 80 % load`
  return { name, value: p99, unit: 'ms', baseline: p50, target: { atMost: 4 } }
}

/** Compares the throughput of proofs of protocol 4.0 with that of 3.0, in turns, for distinct people. */
async function measureProtocols(facts: { baseUrl: string; rpcUrl: string }): Promise<Figure> {
  await publishFacts4(facts)
  const count = WARM_UP_4 + PEOPLE_PER_ROUND_4 * ROUNDS
  const calls4 = await forgeVerifications4(count)
  const calls3 = (await forgeVerifications(FIRST_PERSON_3 + count)).slice(FIRST_PERSON_3)
  const run = async (calls: Call[], people: number) => {
    const { samples, seconds } = await runClosedLoop(
      facts.baseUrl,
      calls.splice(0, people),
      CONNECTIONS,
    )
    requireAccepted(samples)
    return seconds
  }
  // The first proof creates the action.
  await run(calls4, 1)
  await run(calls4, WARM_UP_4 - 1)
  let [seconds3, seconds4] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    seconds3 += await run(calls3, PEOPLE_PER_ROUND_4)
    seconds4 += await run(calls4, PEOPLE_PER_ROUND_4)
  }
  const total = PEOPLE_PER_ROUND_4 * ROUNDS
  return {
    name: 'POST /api/v4/verify, protocol 4.0 ÷ POST /api/v2/verify',
    value: total / seconds4,
    unit: '/s',
    baseline: total / seconds3,
    target: { atLeast: 0.5 },
  }
}

type Body = Record<'proof' | 'merkle_root' | 'nullifier_hash' | 'signal_hash', string>

async function startForgedProofPool() {
  const { verificationKeyFile } = await developmentKey()
  const key = parseVerificationKey(JSON.parse(readFileSync(verificationKeyFile, 'utf8')))
  const pool = startGroth16Pool(new Map([['development', key]]), {
    threads: availableParallelism(),
    maxQueue: PEOPLE_PER_ROUND,
  })
  await pool.warmUp()
  const external = externalNullifier(APP, ACTION)
  const verify = async (body: Body) => {
    const proof = parseProof(body.proof)
    const signals = [body.merkle_root, body.nullifier_hash, body.signal_hash].map(parseField)
    const [root, nullifier, signal] = signals
    if (!proof || !root || !nullifier || !signal) throw new Error('A forged proof is malformed.')
    if (!(await pool.verify(['development'], proof, [root, nullifier, signal, external])))
      throw new Error('The pool rejected a forged proof.')
  }
  return {
    async time(calls: readonly Call[]): Promise<number> {
      const bodies = calls.map(({ body }): Body => JSON.parse(body))
      const startTime = performance.now()
      await Promise.all(bodies.map(verify))
      return (performance.now() - startTime) / 1_000
    },
    close: () => pool.close(),
  }
}

function requireAccepted(samples: readonly { status: number }[]) {
  const failures = samples.filter(({ status }) => status !== 200)
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${samples.length} verifications failed.`)
}

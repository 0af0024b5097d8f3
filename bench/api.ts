import { setTimeout } from 'node:timers/promises'
import { startThrowaway } from '../platform/throwaway.ts'
import { startBareServer } from './bare-server.ts'
import { compare, repeated } from './compare.ts'
import { type Call, closedLoop, openLoop } from './load.ts'
import { percentile, type Row } from './row.ts'

const APP = 'app_staging_00000000000000000000000000000001'
const CONNECTIONS = 16
const PER_ROUND = 4_000
const ROUNDS = 3
const PER_SECOND = 200
const SECONDS = 5
const WARM_UP_MS = 5_000
/** All of them wait for a thread: more would be refused at once, and be a flood of requests instead. */
const LOGINS_AT_ONCE = 32

/** Public lookups beside express alone, and whether a flood of logins holds them up. */
export async function apiSpeed(): Promise<Row[]> {
  const platform = await startThrowaway()
  const { baseUrl } = platform.facts
  const bare = await startBareServer(platform.facts)
  try {
    const hash = `0x${'1'.padStart(64, '0')}`
    const body = JSON.stringify({ action: 'vote', nullifier_hash: hash })
    const precheck = { path: `/api/v1/precheck/${APP}`, body }
    const against = (ours: Call, theirs: Call) => ({
      ours: { url: baseUrl, calls: repeated(ours, PER_ROUND) },
      baseline: { url: bare.url, calls: repeated(theirs, PER_ROUND) },
      rounds: ROUNDS,
      connections: CONNECTIONS,
    })
    return [
      await compare({
        name: 'precheck ÷ express with two lookups by pg',
        wanted: { atLeast: 0.6 },
        ...against(precheck, { path: `/precheck/${APP}`, body }),
      }),
      await compare({
        name: 'jwks ÷ express with a fixed JSON',
        wanted: { atLeast: 0.8 },
        ...against({ path: '/api/v1/jwks', body: '' }, { path: '/jwks', body: '' }),
      }),
      ...(await underLogins(baseUrl, precheck)),
    ]
  } finally {
    await bare.stop()
    await platform.stop()
  }
}

async function underLogins(baseUrl: string, precheck: Call): Promise<Row[]> {
  const alone = await latencies(baseUrl, precheck)
  const flood = startFlood(baseUrl)
  // The first logins compile what they run.
  await setTimeout(WARM_UP_MS)
  const under = await latencies(baseUrl, precheck)
  const { checked, seconds } = await flood.stop()
  const [p50, p99] = [percentile(alone, 0.5), percentile(alone, 0.99)]
  const row = { unit: 'ms', wanted: { atMost: 2 } }
  return [
    {
      ...row,
      name: 'p99 of precheck under logins ÷ p50 without',
      value: percentile(under, 0.99),
      baseline: p50,
      note: `${Math.round(checked / seconds)} passwords checked a second`,
    },
    {
      ...row,
      name: 'p99 of precheck under logins ÷ p99 without',
      value: percentile(under, 0.99),
      baseline: p99,
    },
    {
      ...row,
      name: 'p50 of precheck under logins ÷ p50 without',
      value: percentile(under, 0.5),
      baseline: p50,
    },
  ]
}

/** At a rate that is far from what it can do: what is measured is waiting, not a queue of our own making. */
async function latencies(baseUrl: string, call: Call): Promise<number[]> {
  const samples = await openLoop(baseUrl, Array(SECONDS * PER_SECOND).fill(call), PER_SECOND)
  return samples.map(({ ms }) => ms)
}

/** Logs in with wrong passwords without a pause, until it is stopped. */
function startFlood(baseUrl: string) {
  let isOn = true
  const call = {
    path: '/api/v1/login',
    body: '{"email":"ada@example.com","password":"difference"}',
  }
  function* logins(): Generator<Call> {
    while (isOn) yield call
  }
  const flood = closedLoop(baseUrl, logins(), LOGINS_AT_ONCE)
  return {
    async stop() {
      isOn = false
      const { samples, seconds } = await flood
      return { checked: samples.filter(({ status }) => status === 400).length, seconds }
    },
  }
}

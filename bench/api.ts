import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../platform/free-ports.ts'
import { startPart } from '../platform/part.ts'
import { startThrowaway } from '../platform/throwaway.ts'
import { type Call, closedLoop, openLoop } from './load.ts'
import { percentile, type Row } from './row.ts'

const APP = 'app_staging_00000000000000000000000000000001'
const CONNECTIONS = 16
const WARM_UP = 4_000
const PER_ROUND = 2_000
const ROUNDS = 5
const PER_SECOND = 200
const SECONDS = 5
/** All of them wait for a thread: more would be refused at once, and be a flood of requests instead. */
const LOGINS_AT_ONCE = 32

type Server = { url: string; call: Call }

/** Public lookups beside express alone, and whether a flood of logins holds them up. */
export async function apiSpeed(): Promise<Row[]> {
  const platform = await startThrowaway()
  const { baseUrl, databaseUrl } = platform.facts
  const bare = await startBare(databaseUrl, await (await fetch(`${baseUrl}/api/v1/jwks`)).text())
  try {
    const hash = `0x${'1'.padStart(64, '0')}`
    const body = JSON.stringify({ action: 'vote', nullifier_hash: hash })
    const precheck = { path: `/api/v1/precheck/${APP}`, body }
    return [
      await compare('precheck ÷ express with two lookups by pg', 0.6, [
        { url: baseUrl, call: precheck },
        { url: bare.url, call: { path: `/precheck/${APP}`, body } },
      ]),
      await compare('jwks ÷ express with a fixed JSON', 0.8, [
        { url: baseUrl, call: { path: '/api/v1/jwks', body: '' } },
        { url: bare.url, call: { path: '/jwks', body: '' } },
      ]),
      ...(await underLogins(baseUrl, precheck)),
    ]
  } finally {
    await bare.stop()
    await platform.stop()
  }
}

/** The two take turns, so that what else the machine does hits both. */
async function compare(name: string, target: number, servers: [Server, Server]): Promise<Row> {
  const seconds = [0, 0]
  for (const { url, call } of servers) await load(url, call, WARM_UP)
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, { url, call }] of servers.entries())
      seconds[i] = (seconds[i] ?? 0) + (await load(url, call, PER_ROUND))
  const [value = 0, baseline = 0] = seconds.map((time) => (ROUNDS * PER_ROUND) / time)
  return { name, value, unit: '/s', baseline, wanted: { atLeast: target } }
}

async function load(url: string, call: Call, count: number): Promise<number> {
  const { samples, seconds } = await closedLoop(url, Array(count).fill(call), CONNECTIONS)
  const failed = samples.find((sample) => sample.failed)
  if (failed) throw new Error(`${url}${call.path} answered ${failed.status}.`)
  return seconds
}

async function underLogins(baseUrl: string, precheck: Call): Promise<Row[]> {
  const alone = await latencies(baseUrl, precheck)
  const flood = startFlood(baseUrl)
  const under = await latencies(baseUrl, precheck)
  const { checked, seconds } = await flood.stop()
  const [p50, p99] = [percentile(alone, 0.5), percentile(alone, 0.99)]
  const row = { unit: 'ms', baseline: p50, wanted: { atMost: 2 } }
  return [
    {
      ...row,
      name: 'p99 of precheck under logins ÷ p50 without',
      value: percentile(under, 0.99),
      note: `p99 without ${p99.toFixed(1)} ms; ${Math.round(checked / seconds)} passwords checked a second`,
    },
    { ...row, name: 'p50 of precheck under logins ÷ p50 without', value: percentile(under, 0.5) },
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

async function startBare(databaseUrl: string, keys: string) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const url = `http://127.0.0.1:${port}`
  const part = await startPart({
    name: 'Bare express',
    entry: 'bench/bare-express.ts',
    env: { NODE_ENV: 'production', DATABASE_URL: databaseUrl, PORT: String(port), KEYS: keys },
    logFile: join(folder, 'bare.log'),
    healthUrl: `${url}/healthz`,
    onEnd: (error) => {
      throw error
    },
  })
  return {
    url,
    async stop() {
      await part.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

import { availableParallelism } from 'node:os'
import { Client } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import {
  type SignInContender,
  type SignInContenders,
  startSignInContenders,
} from '../contenders/sign-in-contenders.ts'
import { type Call, callOnce, runClosedLoop } from '../load/http-load.ts'
import { startCpuClock, sum } from '../load/process-cost.ts'
import { createTokenCall, signInAll, TokenResponse } from '../load/sign-in-flow.ts'
import { computeRatio, type Figure } from '../report/figure.ts'

/**
 * Enough connections to saturate the platform's server. Far fewer saturate oidc-provider, since it never waits for a database
 * (docs/benchmarks.md).
 */
const CONNECTIONS = 32 * availableParallelism()
/** The rounds before the measurement: a server reaches its full speed only once its code is compiled. */
const WARM_UP = 5
const ROUNDS = 15

/**
 * Compares the sign-in server with bare oidc-provider and its in-memory storage: the same signed access tokens, keys of the
 * same size, one process each, the same requests in turn. With `--large`, also with a million live rows.
 */
export async function measureSignInSpeed(large: boolean): Promise<Figure[]> {
  const site = await startSignInContenders()
  try {
    const rows = await compareEndpoints(site)
    if (!large) return rows
    await fillArtifacts(site.databaseUrl, 1_000_000)
    const full = await compareEndpoints(site)
    return [...rows, ...rows.flatMap((row, i) => createFigureWithRows(row, full[i]))]
  } finally {
    await site.stop()
  }
}

/** Compares two ratios to oidc-provider: with a million rows in the database, and without them. */
function createFigureWithRows(empty: Figure, full: Figure | undefined): Figure[] {
  if (!full) return []
  return [
    {
      name: `${full.name}, 1 million rows`,
      value: requireValue(computeRatio(full), 'the ratio with rows'),
      unit: '× oidc-provider',
      baseline: requireValue(computeRatio(empty), 'the ratio without rows'),
      target: { atLeast: 1 / 1.2 },
    },
  ]
}

async function compareEndpoints(site: SignInContenders): Promise<Figure[]> {
  return [
    await compareCalls('GET /userinfo', site, async (contender) => {
      const authorization = `Bearer ${await newAccessToken(contender)}`
      const path = contender.paths.userinfo
      return repeatValue(REQUESTS, { method: 'GET', path, body: '', headers: { authorization } })
    }),
    await compareCalls('POST /introspect', site, async (contender) => {
      const body = String(new URLSearchParams({ token: await newAccessToken(contender) }))
      const { client, paths } = contender
      const headers = { 'content-type': FORM, authorization: client.basic }
      return repeatValue(REQUESTS, { path: paths.introspect, body, headers })
    }),
    await compareCalls('POST /token', site, async (contender) => {
      const codes = await contender.mint(CODES)
      return codes.map((code) => createTokenCall(contender, code))
    }),
    await compareRounds(
      'the whole code flow, without the check of the proof',
      site,
      async (contender) => ({
        count: FLOWS,
        run: () => signInAll(contender, FLOWS, CONNECTIONS),
      }),
    ),
  ]
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * The work of one round. It is large enough that the beginning and the end, with fewer concurrent requests, hardly count.
 */
const REQUESTS = 2_400
const CODES = 960
const FLOWS = 1_280

async function newAccessToken(contender: SignInContender): Promise<string> {
  const [code] = await contender.mint(1)
  const call = createTokenCall(contender, requireValue(code, 'the code'))
  const { text } = await callOnce(contender.url, call)
  return contender.createBearer(TokenResponse.parse(JSON.parse(text)).access_token)
}

async function compareCalls(
  name: string,
  site: SignInContenders,
  prepare: (contender: SignInContender) => Promise<Call[]>,
): Promise<Figure> {
  return compareRounds(name, site, async (contender) => {
    const calls = await prepare(contender)
    const run = async () => {
      const { samples } = await runClosedLoop(contender.url, calls, CONNECTIONS)
      const failures = samples.filter((sample) => sample.failed)
      if (failures.length > 0)
        throw new Error(
          `${name} of ${contender.name}: ${failures.length} failed: ${failures[0]?.status}`,
        )
    }
    return { count: calls.length, run }
  })
}

/** The work of one round, and its number of requests or flows. */
type Work = { count: number; run(): Promise<void> }

/**
 * Compares the servers in turns, in many short rounds. The round with the median ratio counts: other load on the machine
 * affects both servers of a round, or only one round.
 */
async function compareRounds(
  name: string,
  site: SignInContenders,
  prepare: (contender: SignInContender) => Promise<Work>,
): Promise<Figure> {
  const rounds: Round[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const ours = await measureWork(site, site.ours, await prepare(site.ours))
    const bare = await measureWork(site, site.bare, await prepare(site.bare))
    rounds.push({ ours, bare, ratio: ours.perSecond / bare.perSecond })
  }
  const sortedRounds = rounds.slice(WARM_UP).toSorted((a, b) => a.ratio - b.ratio)
  const findRound = (share: number) =>
    requireValue(sortedRounds[Math.floor((sortedRounds.length - 1) * share)], 'a round')
  const median = findRound(0.5)
  const middle = [findRound(0.25), findRound(0.75)]
    .map((round) => round.ratio.toFixed(2))
    .join(' to ')
  return {
    name,
    value: median.ours.perSecond,
    unit: '/s',
    baseline: median.bare.perSecond,
    // Bare oidc-provider keeps everything in memory. The target is below 1, because
    // PostgreSQL works on the same cores.
    target: { atLeast: 0.6 },
    note: `half of the rounds ${middle}; CPU of each: ${describeMeanCpu(sortedRounds.map(({ ours }) => ours.cpu))}; ${describeMeanCpu(sortedRounds.map(({ bare }) => bare.cpu))}`,
  }
}

type Round = { ours: WorkResult; bare: WorkResult; ratio: number }

/** The CPU time in ms, by process name. */
type Cpu = Map<string, number>

type WorkResult = { perSecond: number; cpu: Cpu }

async function measureWork(
  site: SignInContenders,
  contender: SignInContender,
  work: Work,
): Promise<WorkResult> {
  const otherProcesses = contender === site.ours ? Object.entries(site.backgroundProcesses()) : []
  const parts: [string, number[]][] = [[contender.name, [contender.pid]], ...otherProcesses]
  const clocks = parts.map(([part, pids]): [string, () => number] => [part, startCpuClock(pids)])
  const startTime = performance.now()
  await work.run()
  const seconds = (performance.now() - startTime) / 1_000
  const cpu = clocks.map(([part, read]): [string, number] => [part, read() / work.count])
  return { perSecond: work.count / seconds, cpu: new Map(cpu) }
}

/** Describes the mean CPU time of the rounds. */
function describeMeanCpu(rounds: readonly Cpu[]): string {
  const parts = [...requireValue(rounds[0], 'a round').keys()]
  const mean = (part: string) =>
    sum(rounds.map((cpu) => requireValue(cpu.get(part), 'the time of a part'))) / rounds.length
  return parts.map((part) => `${part} ${mean(part).toFixed(2)} ms`).join(' + ')
}

function repeatValue<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

/** Inserts unexpired rows of other sign-ins. */
async function fillArtifacts(databaseUrl: string, count: number) {
  const client = new Client(databaseUrl)
  await client.connect()
  await client.query(
    `insert into oidc_artifact (model, id, payload, grant_id, expires_at)
     select 'AccessToken', sha256(n::text::bytea), jsonb_build_object('accountId', n, 'scope', 'openid'), n::text, now() + interval '1 hour'
     from generate_series(1, $1) as n`,
    [count],
  )
  await client.query('analyze oidc_artifact')
  await client.end()
}

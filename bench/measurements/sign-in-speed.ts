import { availableParallelism } from 'node:os'
import { Client } from 'pg'
import { openSignIn, type SignInContender, type SignInSite } from '../contenders/sign-in-site.ts'
import { type Call, callOnce, closedLoop } from '../load/http-load.ts'
import { startCpuClock } from '../load/process-cost.ts'
import { redeem, signInAll } from '../load/sign-in-flow.ts'
import { type Row, ratioOf } from '../report/figure.ts'

/** So many that ours is saturated; the library is by far fewer, since it waits for nothing (docs/benchmarks.md). */
const CONNECTIONS = 32 * availableParallelism()
/** A server reaches its full speed only when its code has run some thousand times. */
const WARM_UP = 5
const ROUNDS = 15

/**
 * The sign-in server against the library alone with its storage in memory: the same signed access
 * tokens, keys of the same size, one process each, the same requests in turn. With `--large`, also with
 * a million live rows.
 */
export async function signIn(large: boolean): Promise<Row[]> {
  const site = await openSignIn()
  try {
    const rows = await compareAll(site)
    if (!large) return rows
    await fill(site.databaseUrl, 1_000_000)
    const full = await compareAll(site)
    return [...rows, ...rows.flatMap((row, i) => grown(row, full[i]))]
  } finally {
    await site.stop()
  }
}

/** The same with a million rows: as many of the library's requests per second as without them. */
function grown(empty: Row, full: Row | undefined): Row[] {
  if (!full) return []
  return [
    {
      name: `${full.name}, 1 million rows`,
      value: ratioOf(full) ?? Number.NaN,
      unit: '× the library',
      baseline: ratioOf(empty) ?? Number.NaN,
      wanted: { atLeast: 1 / 1.2 },
    },
  ]
}

async function compareAll(site: SignInSite): Promise<Row[]> {
  return [
    await compare('GET /userinfo', site, async (contender) => {
      const authorization = `Bearer ${await tokenOf(contender)}`
      const path = contender.paths.userinfo
      return times(REQUESTS, { method: 'GET', path, body: '', headers: { authorization } })
    }),
    await compare('POST /introspect', site, async (contender) => {
      const body = String(new URLSearchParams({ token: await tokenOf(contender) }))
      const { client, paths } = contender
      const headers = { 'content-type': FORM, authorization: client.basic }
      return times(REQUESTS, { path: paths.introspect, body, headers })
    }),
    await compare('POST /token', site, async (contender) => {
      const codes = await contender.mint(CODES)
      return codes.map((code) => redeem(contender, code))
    }),
    await judge('the whole code flow, without the check of the proof', site, async (contender) => ({
      count: FLOWS,
      run: () => signInAll(contender, FLOWS, CONNECTIONS),
    })),
  ]
}

const FORM = 'application/x-www-form-urlencoded'

/** What one round does: so much that its beginning and end, when less of it is under way, hardly count. */
const REQUESTS = 2_400
const CODES = 960
const FLOWS = 1_280

async function tokenOf(contender: SignInContender): Promise<string> {
  const [code = ''] = await contender.mint(1)
  const { text } = await callOnce(contender.url, redeem(contender, code))
  return contender.bearerOf(JSON.parse(text).access_token)
}

async function compare(
  name: string,
  site: SignInSite,
  prepare: (contender: SignInContender) => Promise<Call[]>,
): Promise<Row> {
  return judge(name, site, async (contender) => {
    const calls = await prepare(contender)
    const run = async () => {
      const { samples } = await closedLoop(contender.url, calls, CONNECTIONS)
      const failed = samples.filter((sample) => sample.failed)
      if (failed.length > 0)
        throw new Error(
          `${name} of ${contender.name}: ${failed.length} failed: ${failed[0]?.status}`,
        )
    }
    return { count: calls.length, run }
  })
}

/** What is done in one round, so many times. */
type Work = { count: number; run(): Promise<void> }

/**
 * In turn, in many short rounds, of which the one with the median ratio counts: other load on the machine
 * affects both sides of a round, or only one round.
 */
async function judge(
  name: string,
  site: SignInSite,
  prepare: (contender: SignInContender) => Promise<Work>,
): Promise<Row> {
  const rounds: Round[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const ours = await measure(site, site.ours, await prepare(site.ours))
    const bare = await measure(site, site.bare, await prepare(site.bare))
    rounds.push({ ours, bare, ratio: ours.perSecond / bare.perSecond })
  }
  const counted = rounds.slice(WARM_UP).toSorted((a, b) => a.ratio - b.ratio)
  const at = (share: number) => counted[Math.floor((counted.length - 1) * share)]
  const median = at(0.5)
  const middle = [at(0.25), at(0.75)].map((round) => round?.ratio.toFixed(2)).join(' to ')
  return {
    name,
    value: median?.ours.perSecond ?? Number.NaN,
    unit: '/s',
    baseline: median?.bare.perSecond ?? Number.NaN,
    wanted: { atLeast: 0.7 },
    note: `half of the rounds ${middle}; CPU of each: ${words(counted.map(({ ours }) => ours.cpu))}; ${words(counted.map(({ bare }) => bare.cpu))}`,
  }
}

type Round = { ours: Measured; bare: Measured; ratio: number }

/** CPU time in ms by what used it. */
type Cpu = Map<string, number>

type Measured = { perSecond: number; cpu: Cpu }

async function measure(
  site: SignInSite,
  contender: SignInContender,
  work: Work,
): Promise<Measured> {
  const behind = contender === site.ours ? Object.entries(site.behindOurs()) : []
  const parts: [string, number[]][] = [[contender.name, [contender.pid]], ...behind]
  const clocks = parts.map(([part, pids]): [string, () => number] => [part, startCpuClock(pids)])
  const started = performance.now()
  await work.run()
  const seconds = (performance.now() - started) / 1_000
  const cpu = clocks.map(([part, read]): [string, number] => [part, read() / work.count])
  return { perSecond: work.count / seconds, cpu: new Map(cpu) }
}

/** The mean of the rounds. */
function words(rounds: readonly Cpu[]): string {
  const parts = [...(rounds[0]?.keys() ?? [])]
  const mean = (part: string) => sum(rounds.map((cpu) => cpu.get(part) ?? 0)) / rounds.length
  return parts.map((part) => `${part} ${mean(part).toFixed(2)} ms`).join(' + ')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function times<T>(count: number, thing: T): T[] {
  return Array.from({ length: count }, () => thing)
}

/** Live rows of others. */
async function fill(databaseUrl: string, count: number) {
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

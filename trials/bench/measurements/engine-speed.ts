import { isDeepStrictEqual } from 'node:util'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { readExistingHasura } from '../contenders/existing-hasura.ts'
import {
  type GraphqlContender,
  type GraphqlContenders,
  startGraphqlContenders,
} from '../contenders/graphql-servers.ts'
import { WORKLOADS, type Workload } from '../load/graphql-workloads.ts'
import { type Call, callOnce, runClosedLoop } from '../load/http-load.ts'
import { readProcessCost } from '../load/process-cost.ts'
import { createShop, type Shop } from '../load/shop-database.ts'
import { type Figure, percentile } from '../report/figure.ts'

const CONNECTIONS = 16
/** A server reaches its full speed only after some thousand requests, once its code is compiled. */
const WARM_UP = { requests: 6_000, seconds: 4 }
const ROUNDS = 3
const ROUND = { requests: Number.POSITIVE_INFINITY, seconds: 1.2 }

/**
 * Compares the engine with hand-written SQL and PostGraphile on the same database, each in its own process. Also compares it
 * with a running Hasura, if `HASURA_GRAPHQL_ENDPOINT` and `HASURA_GRAPHQL_ADMIN_SECRET` are set.
 */
export async function measureEngineSpeed(large: boolean): Promise<Figure[]> {
  const rows: Figure[] = []
  for (const purchases of large ? [1_000, 1_000_000] : [1_000]) {
    const shop = createShop(purchases)
    const contenders = await startGraphqlContenders(shop, readExistingHasura(process.env))
    try {
      for (const workload of WORKLOADS)
        rows.push(...(await compareWorkload(contenders, workload, shop)))
    } finally {
      await contenders.stop()
    }
  }
  return rows
}

async function compareWorkload(
  contenders: GraphqlContenders,
  workload: Workload,
  shop: Shop,
): Promise<Figure[]> {
  const { engine, handWritten, postgraphile, hasura } = contenders
  const all = [engine, handWritten, postgraphile, ...(hasura ? [hasura] : [])]
  await requireEqualAnswers(all, workload, shop)
  const totals = new Map(all.map((contender) => [contender, createLoadTotal()]))
  for (const contender of all) await loadContender(contender, { workload, shop, length: WARM_UP })
  // The servers take turns, so that other load on the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++)
    for (const [contender, total] of totals)
      addLoad(total, await loadContender(contender, { workload, shop, length: ROUND }))
  return createWorkloadFigures(contenders, workload, shop, (contender) =>
    requireValue(totals.get(contender), 'the total of a contender'),
  )
}

/** CPU time and memory are null for an external server. */
type Total = { ms: number[]; seconds: number; cpuMs: number | null; memoryMb: number | null }

function createLoadTotal(): Total {
  return { ms: [], seconds: 0, cpuMs: 0, memoryMb: 0 }
}

function addLoad(total: Total, { ms, seconds, cpuMs, memoryMb }: Total) {
  total.ms.push(...ms)
  total.seconds += seconds
  total.cpuMs = total.cpuMs === null || cpuMs === null ? null : total.cpuMs + cpuMs
  total.memoryMb = memoryMb
}

/** The load ends at the first of these limits. */
type Length = { requests: number; seconds: number }

type Load = { workload: Workload; shop: Shop; length: Length }

async function loadContender(
  contender: GraphqlContender,
  { workload, shop, length }: Load,
): Promise<Total> {
  const before = readCost(contender)
  const calls = createCalls(length, (n) => contender.call(workload, workload.variables(n, shop)))
  const { samples, seconds } = await runClosedLoop(contender.url, calls, CONNECTIONS)
  const failed = samples.filter((sample) => sample.failed).length
  if (failed > 0)
    throw new Error(`${contender.name}: ${failed} of ${samples.length} ${workload.name} failed.`)
  const after = readCost(contender)
  return {
    ms: samples.map(({ ms }) => ms),
    seconds,
    cpuMs: after && before && after.cpuMs - before.cpuMs,
    memoryMb: after?.memoryMb ?? null,
  }
}

function readCost({ pid }: GraphqlContender) {
  return pid === null ? null : readProcessCost(pid)
}

function* createCalls(
  { requests, seconds }: Length,
  createCall: (n: number) => Call,
): Generator<Call> {
  const end = performance.now() + seconds * 1_000
  for (let n = 0; n < requests && performance.now() < end; n++) yield createCall(n)
}

/** Requires that all servers send equal responses, since otherwise their speeds are not comparable. */
async function requireEqualAnswers(
  all: readonly GraphqlContender[],
  workload: Workload,
  shop: Shop,
) {
  for (const n of [0, 1, 2, 3]) {
    const answers = all.map(async (contender) => {
      const call = contender.call(workload, workload.variables(n, shop))
      return contender.normalize(JSON.parse((await callOnce(contender.url, call)).text))
    })
    const [expected, ...others] = await Promise.all(answers)
    for (const other of others)
      if (!isDeepStrictEqual(other, expected))
        throw new Error(
          `${workload.name}: ${JSON.stringify(other)} differs from the engine's ${JSON.stringify(expected)}`,
        )
    requireComplete(workload, expected)
  }
}

function requireComplete({ name, rowsInAnswer }: Workload, answer: unknown) {
  const rowCount = JSON.stringify(answer).match(/"(quantity|name)":/g)?.length ?? 0
  if (rowCount !== rowsInAnswer)
    throw new Error(`${name}: ${rowCount} rows instead of ${rowsInAnswer}`)
}

function createWorkloadFigures(
  { engine, handWritten, postgraphile, hasura }: GraphqlContenders,
  { name, targets }: Workload,
  { purchases }: Shop,
  getTotal: (contender: GraphqlContender) => Total,
): Figure[] {
  const value = requestsPerSecond(getTotal(engine))
  const compareWith = (other: GraphqlContender, target?: number): Figure => {
    const baseline = requestsPerSecond(getTotal(other))
    const note = createLoadNote(getTotal(other))
    return {
      name: `${name}, ${purchases} rows ÷ ${other.name}`,
      value,
      unit: '/s',
      baseline,
      ...(target !== undefined && { target: { atLeast: target } }),
      note,
    }
  }
  return [
    {
      name: `${name}, ${purchases} rows`,
      value,
      unit: '/s',
      note: createLoadNote(getTotal(engine)),
    },
    compareWith(handWritten, targets.handWritten),
    compareWith(postgraphile, targets.postgraphile),
    ...(hasura ? [compareWith(hasura)] : []),
  ]
}

function requestsPerSecond({ ms, seconds }: Total): number {
  return ms.length / seconds
}

function createLoadNote({ ms, cpuMs, memoryMb }: Total): string {
  const [p50, p99] = [0.5, 0.99].map((p) => percentile(ms, p).toFixed(2))
  const times = `p50 ${p50} ms, p99 ${p99} ms`
  if (cpuMs === null || memoryMb === null) return times
  const cpu = ((cpuMs * 1_000) / ms.length).toFixed(0)
  return `${times}, ${cpu} µs CPU per request, ${memoryMb.toFixed(0)} MB`
}

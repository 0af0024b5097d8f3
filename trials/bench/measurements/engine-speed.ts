import { isDeepStrictEqual } from 'node:util'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { givenHasura } from '../contenders/given-hasura.ts'
import {
  type GraphqlContender,
  type GraphqlContenders,
  startGraphqlContenders,
} from '../contenders/graphql-servers.ts'
import { WORKLOADS, type Workload } from '../load/graphql-workloads.ts'
import { type Call, callOnce, closedLoop } from '../load/http-load.ts'
import { readProcessCost } from '../load/process-cost.ts'
import { type Shop, shopOf } from '../load/shop-database.ts'
import { type Figure, percentile } from '../report/figure.ts'

const CONNECTIONS = 16
/** A server reaches its full speed only when its code has run some thousand times. */
const WARM_UP = { requests: 6_000, seconds: 4 }
const ROUNDS = 3
const ROUND = { requests: Number.POSITIVE_INFINITY, seconds: 1.2 }

/**
 * The engine beside hand-written SQL and PostGraphile on the same database, each in a process of its own, and beside the Hasura
 * that `HASURA_GRAPHQL_ENDPOINT` names, if it names one.
 */
export async function measureEngineSpeed(large: boolean): Promise<Figure[]> {
  const rows: Figure[] = []
  for (const purchases of large ? [1_000, 1_000_000] : [1_000]) {
    const shop = shopOf(purchases)
    const contenders = await startGraphqlContenders(shop, givenHasura(process.env))
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
  const totals = new Map(all.map((contender) => [contender, emptyLoadTotal()]))
  for (const one of all) await loadContender(one, { workload, shop, length: WARM_UP })
  // They take turns, so that other load on the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++)
    for (const [one, total] of totals)
      addLoad(total, await loadContender(one, { workload, shop, length: ROUND }))
  return workloadFigures(contenders, workload, shop, (one) =>
    requireValue(totals.get(one), 'the total of a contender'),
  )
}

/** Of a server elsewhere, CPU time and memory are not known. */
type Total = { ms: number[]; seconds: number; cpuMs: number | null; memoryMb: number | null }

function emptyLoadTotal(): Total {
  return { ms: [], seconds: 0, cpuMs: 0, memoryMb: 0 }
}

function addLoad(total: Total, { ms, seconds, cpuMs, memoryMb }: Total) {
  total.ms.push(...ms)
  total.seconds += seconds
  total.cpuMs = total.cpuMs === null || cpuMs === null ? null : total.cpuMs + cpuMs
  total.memoryMb = memoryMb
}

/** It ends with whatever comes first. */
type Length = { requests: number; seconds: number }

type Load = { workload: Workload; shop: Shop; length: Length }

async function loadContender(
  contender: GraphqlContender,
  { workload, shop, length }: Load,
): Promise<Total> {
  const before = costOf(contender)
  const calls = callsFor(length, (n) => contender.call(workload, workload.variables(n, shop)))
  const { samples, seconds } = await closedLoop(contender.url, calls, CONNECTIONS)
  const failed = samples.filter((sample) => sample.failed).length
  if (failed > 0)
    throw new Error(`${contender.name}: ${failed} of ${samples.length} ${workload.name} failed.`)
  const after = costOf(contender)
  return {
    ms: samples.map(({ ms }) => ms),
    seconds,
    cpuMs: after && before && after.cpuMs - before.cpuMs,
    memoryMb: after?.memoryMb ?? null,
  }
}

function costOf({ pid }: GraphqlContender) {
  return pid === null ? null : readProcessCost(pid)
}

function* callsFor({ requests, seconds }: Length, callOf: (n: number) => Call): Generator<Call> {
  const end = performance.now() + seconds * 1_000
  for (let n = 0; n < requests && performance.now() < end; n++) yield callOf(n)
}

/** Speed counts only if all answers are the same, to the last value. */
async function requireEqualAnswers(
  all: readonly GraphqlContender[],
  workload: Workload,
  shop: Shop,
) {
  for (const n of [0, 1, 2, 3]) {
    const answers = all.map(async (contender) => {
      const call = contender.call(workload, workload.variables(n, shop))
      return contender.plain(JSON.parse((await callOnce(contender.url, call)).text))
    })
    const [expected, ...others] = await Promise.all(answers)
    for (const other of others)
      if (!isDeepStrictEqual(other, expected))
        throw new Error(
          `${workload.name}: ${JSON.stringify(other)} is not the engine's ${JSON.stringify(expected)}`,
        )
    requireComplete(workload, expected)
  }
}

function requireComplete({ name, rowsInAnswer }: Workload, answer: unknown) {
  const found = JSON.stringify(answer).match(/"(quantity|name)":/g)?.length ?? 0
  if (found !== rowsInAnswer) throw new Error(`${name}: ${found} rows instead of ${rowsInAnswer}`)
}

function workloadFigures(
  { engine, handWritten, postgraphile, hasura }: GraphqlContenders,
  { name, targets }: Workload,
  { purchases }: Shop,
  totalOf: (contender: GraphqlContender) => Total,
): Figure[] {
  const value = requestsPerSecond(totalOf(engine))
  const against = (other: GraphqlContender, target?: number): Figure => {
    const baseline = requestsPerSecond(totalOf(other))
    const note = loadNote(totalOf(other))
    return {
      name: `${name}, ${purchases} rows ÷ ${other.name}`,
      value,
      unit: '/s',
      baseline,
      ...(target !== undefined && { wanted: { atLeast: target } }),
      note,
    }
  }
  return [
    {
      name: `${name}, ${purchases} rows`,
      value,
      unit: '/s',
      note: loadNote(totalOf(engine)),
    },
    against(handWritten, targets.handWritten),
    against(postgraphile, targets.postgraphile),
    ...(hasura ? [against(hasura)] : []),
  ]
}

function requestsPerSecond({ ms, seconds }: Total): number {
  return ms.length / seconds
}

function loadNote({ ms, cpuMs, memoryMb }: Total): string {
  const [p50, p99] = [0.5, 0.99].map((p) => percentile(ms, p).toFixed(2))
  const times = `p50 ${p50} ms, p99 ${p99} ms`
  if (cpuMs === null || memoryMb === null) return times
  const cpu = ((cpuMs * 1_000) / ms.length).toFixed(0)
  return `${times}, ${cpu} µs CPU a request, ${memoryMb.toFixed(0)} MB`
}

import type { Row } from '../report/figure.ts'
import { type Call, closedLoop } from './http-load.ts'

/** A server, and the calls that it gets in one round. */
export type Side = { url: string; calls(round: number): readonly Call[] }

type Comparison = Pick<Row, 'name' | 'wanted'> & {
  ours: Side
  baseline: Side
  rounds: number
  connections: number
}

/**
 * How many calls per second two servers answer. They take turns, so that other load on the machine affects
 * both; a first round, which does not count, warms them up.
 *
 * @throws Error when a call fails, since a refusal would be fast
 */
export async function compare(comparison: Comparison): Promise<Row> {
  const { ours, baseline, rounds, connections, ...row } = comparison
  await answer(ours, 0, connections)
  await answer(baseline, 0, connections)
  const [total, baselineTotal] = [nothing(), nothing()]
  for (let round = 1; round <= rounds; round++) {
    add(total, await answer(ours, round, connections))
    add(baselineTotal, await answer(baseline, round, connections))
  }
  return { ...row, value: rate(total), unit: '/s', baseline: rate(baselineTotal) }
}

type Total = { calls: number; seconds: number }

function nothing(): Total {
  return { calls: 0, seconds: 0 }
}

function add(total: Total, { calls, seconds }: Total) {
  total.calls += calls
  total.seconds += seconds
}

function rate({ calls, seconds }: Total): number {
  return calls / seconds
}

async function answer({ url, calls }: Side, round: number, connections: number): Promise<Total> {
  const { samples, seconds } = await closedLoop(url, calls(round), connections)
  const failed = samples.filter((sample) => sample.failed)
  if (failed.length > 0)
    throw new Error(`${url}: ${failed.length} failed, the first with ${failed[0]?.status}.`)
  return { calls: samples.length, seconds }
}

/** The same call, `count` times in each round. */
export function repeated(call: Call, count: number): () => readonly Call[] {
  const calls = Array<Call>(count).fill(call)
  return () => calls
}

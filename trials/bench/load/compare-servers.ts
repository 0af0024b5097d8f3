import type { Figure } from '../report/figure.ts'
import { type Call, closedLoop } from './http-load.ts'

/** A server, and the calls that it gets in one round. */
export type Side = { url: string; calls(round: number): readonly Call[] }

type Comparison = Pick<Figure, 'name' | 'wanted'> & {
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
export async function compareServers(comparison: Comparison): Promise<Figure> {
  const { ours, baseline, rounds, connections, ...row } = comparison
  await runRound(ours, 0, connections)
  await runRound(baseline, 0, connections)
  const [total, baselineTotal] = [emptyTotal(), emptyTotal()]
  for (let round = 1; round <= rounds; round++) {
    addToTotal(total, await runRound(ours, round, connections))
    addToTotal(baselineTotal, await runRound(baseline, round, connections))
  }
  return {
    ...row,
    value: callsPerSecond(total),
    unit: '/s',
    baseline: callsPerSecond(baselineTotal),
  }
}

type Total = { calls: number; seconds: number }

function emptyTotal(): Total {
  return { calls: 0, seconds: 0 }
}

function addToTotal(total: Total, { calls, seconds }: Total) {
  total.calls += calls
  total.seconds += seconds
}

function callsPerSecond({ calls, seconds }: Total): number {
  return calls / seconds
}

async function runRound({ url, calls }: Side, round: number, connections: number): Promise<Total> {
  const { samples, seconds } = await closedLoop(url, calls(round), connections)
  const failed = samples.filter((sample) => sample.failed)
  if (failed.length > 0)
    throw new Error(`${url}: ${failed.length} failed, the first with ${failed[0]?.status}.`)
  return { calls: samples.length, seconds }
}

/** The same call, `count` times in each round. */
export function repeatCall(call: Call, count: number): () => readonly Call[] {
  const calls = Array<Call>(count).fill(call)
  return () => calls
}

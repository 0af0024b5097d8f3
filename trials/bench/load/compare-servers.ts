import type { Figure } from '../report/figure.ts'
import { type Call, runClosedLoop } from './http-load.ts'

/** A server, and its calls in one round. */
export type LoadedServer = { url: string; calls(round: number): readonly Call[] }

type Comparison = Pick<Figure, 'name' | 'target'> & {
  ours: LoadedServer
  baseline: LoadedServer
  rounds: number
  connections: number
}

/**
 * Measures how many calls per second two servers answer. The servers take turns, so that other load on the machine affects
 * both. A first round warms them up and does not count.
 *
 * @throws Error if a call fails, since an error response would be fast
 */
export async function compareServers(comparison: Comparison): Promise<Figure> {
  const { ours, baseline, rounds, connections, ...row } = comparison
  await runRound(ours, 0, connections)
  await runRound(baseline, 0, connections)
  const [total, baselineTotal] = [createTotal(), createTotal()]
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

function createTotal(): Total {
  return { calls: 0, seconds: 0 }
}

function addToTotal(total: Total, { calls, seconds }: Total) {
  total.calls += calls
  total.seconds += seconds
}

function callsPerSecond({ calls, seconds }: Total): number {
  return calls / seconds
}

async function runRound(
  { url, calls }: LoadedServer,
  round: number,
  connections: number,
): Promise<Total> {
  const { samples, seconds } = await runClosedLoop(url, calls(round), connections)
  const failures = samples.filter((sample) => sample.failed)
  if (failures.length > 0)
    throw new Error(
      `${failures.length} calls to ${url} failed, the first with status ${failures[0]?.status}.`,
    )
  return { calls: samples.length, seconds }
}

/** Repeats the same call `count` times in each round. */
export function repeatCall(call: Call, count: number): () => readonly Call[] {
  const calls = Array<Call>(count).fill(call)
  return () => calls
}

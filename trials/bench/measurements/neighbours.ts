import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { Facts } from '../../../packages/platform/facts.ts'
import {
  readGivenHasura,
  startThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { createTarget, type Target } from '../../faults/attack-target.ts'
import { BUSY_NEIGHBOUR, neighbours } from '../../faults/neighbours.ts'
import { type Call, openConnection, type Sample, timeCall } from '../load/http-load.ts'
import { readChildProcessIds, readCommandLine, readProcessCost } from '../load/process-cost.ts'
import {
  forgeVerifications,
  PEOPLE_ROOT,
  publishPeopleRoot,
} from '../load/verification-requests.ts'
import { type Figure, percentile } from '../report/figure.ts'

const SECONDS = 8
/** How long a neighbour's load runs before the measurement begins. */
const SETTLE_MS = 2_000
/** The pause after an attack, so that the attack does not affect the next measurement. */
const REST_MS = 8_000
/** The longest wait for the engine's memory to recover after an attack, including the pause of `REST_MS`. */
const RECOVER_MS = 30_000
/** The engine's memory counts as recovered within this difference from before, since garbage is collected later. */
const RECOVERED_MB = 60
const ACTIONS_OF_ATTACKER = 60
const PEOPLE = 50_000
const MAX_GROWTH_MB = 300

/**
 * Measures a small team with two callers of GraphQL and two of verify: alone, next to a busy neighbour at full speed, and next
 * to each attacker.
 */
export async function measureNeighbours(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform(undefined, readGivenHasura(process.env))
  try {
    const { facts } = platform
    await publishPeopleRoot(facts)
    const people = await forgeVerifications(PEOPLE)
    const target = await prepareAttacker(facts)
    const measureTeam = () => sendTeamRequests(facts, people)
    await measureTeam()
    const alone = await measureTeam()
    // A warm-up: before it, the servers' code for this load is not compiled.
    await measureNextTo(BUSY_NEIGHBOUR, target, measureTeam)
    const busy = await measureNextTo(BUSY_NEIGHBOUR, target, measureTeam)
    const figures = [...createBusyFigures(alone, busy)]
    for (const name of Object.keys(neighbours).filter((each) => each !== BUSY_NEIGHBOUR)) {
      const memoryWatch = watchMemory(findEngineProcess())
      const duringAttack = await measureNextTo(name, target, measureTeam)
      const growth = memoryWatch?.stop() ?? 0
      await sleep(REST_MS)
      figures.push(...createAttackFigures(name, { busy, duringAttack }))
      if (memoryWatch)
        figures.push(createMemoryFigure(name, growth, await memoryWatch.waitForRecovery()))
    }
    return figures
  } finally {
    await platform.stop()
  }
}

/** The responses to the small team's callers. */
type TeamSamples = { queries: Sample[]; verifications: Sample[] }

async function measureNextTo(
  name: string,
  target: Target,
  measureTeam: () => Promise<TeamSamples>,
): Promise<TeamSamples> {
  const neighbour = fork(new URL('../load/neighbour-process.ts', import.meta.url), [
    name,
    JSON.stringify(target),
  ])
  const exit = once(neighbour, 'exit')
  const start = once(neighbour, 'message')
  try {
    await Promise.race([start, exit.then(throwNeighbourEnded)])
    await sleep(SETTLE_MS)
    return await measureTeam()
  } finally {
    if (neighbour.connected) neighbour.send('stop')
    await exit
  }
}

function throwNeighbourEnded(): never {
  throw new Error('The neighbour process ended before it sent a message.')
}

async function sendTeamRequests({ baseUrl, apiKey }: Facts, people: Call[]): Promise<TeamSamples> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const query = { path: '/v1/graphql', body: TEAM_QUERY, headers }
  const end = performance.now() + SECONDS * 1_000
  const samples: TeamSamples = { queries: [], verifications: [] }
  await Promise.all([
    ...[1, 2].map(() => callUntil(end, baseUrl, () => query, samples.queries)),
    ...[1, 2].map(() => callUntil(end, baseUrl, () => people.pop(), samples.verifications)),
  ])
  return samples
}

const TEAM_QUERY = JSON.stringify({
  query: '{ action(limit: 5, order_by: { id: asc }) { id name max_verifications app { name } } }',
})

async function callUntil(
  end: number,
  baseUrl: string,
  next: () => Call | undefined,
  samples: Sample[],
): Promise<void> {
  const connection = await openConnection(baseUrl)
  while (performance.now() < end) {
    const call = requireValue(next(), 'a person who has not been verified')
    samples.push(await timeCall(connection, call, performance.now()))
  }
  connection.close()
}

function createBusyFigures(alone: TeamSamples, busy: TeamSamples): Figure[] {
  return KINDS.map((kind) => ({
    name: `${kind} of a small team next to a busy neighbour ÷ alone`,
    value: countPerSecond(busy[kind]),
    baseline: countPerSecond(alone[kind]),
    unit: '/s',
    note: `${describeTimes(busy[kind])}, alone ${describeTimes(alone[kind])}`,
  }))
}

const KINDS = ['queries', 'verifications'] as const

type AttackSamples = { busy: TeamSamples; duringAttack: TeamSamples }

function createAttackFigures(attacker: string, { busy, duringAttack }: AttackSamples): Figure[] {
  const errors = KINDS.flatMap((kind) => duringAttack[kind]).filter(({ status }) => status >= 500)
  return [
    ...KINDS.flatMap((kind): Figure[] => [
      {
        name: `${kind} next to ${attacker} ÷ next to the busy neighbour`,
        value: countPerSecond(duringAttack[kind]),
        baseline: countPerSecond(busy[kind]),
        unit: '/s',
        target: { atLeast: 0.5 },
        note: describeTimes(duringAttack[kind]),
      },
      {
        name: `p99 of ${kind} next to ${attacker} ÷ next to the busy neighbour`,
        value: p99(duringAttack[kind]),
        baseline: p99(busy[kind]),
        unit: 'ms',
        target: { atMost: 3 },
      },
    ]),
    { name: `5xx next to ${attacker}`, value: errors.length, unit: '', target: { atMost: 0 } },
  ]
}

function createMemoryFigure(
  attacker: string,
  growth: number,
  { remainingMb, ms }: Recovery,
): Figure {
  return {
    name: `growth of the engine's memory next to ${attacker}`,
    value: growth,
    unit: 'MB',
    target: { atMost: MAX_GROWTH_MB },
    note: `${remainingMb.toFixed(0)} MB more than before after ${((REST_MS + ms) / 1_000).toFixed(0)} s`,
  }
}

function countPerSecond(samples: readonly Sample[]): number {
  return samples.filter(({ failed }) => !failed).length / SECONDS
}

function p99(samples: readonly Sample[]): number {
  return percentile(
    samples.map(({ ms }) => ms),
    0.99,
  )
}

function describeTimes(samples: readonly Sample[]): string {
  const ms = samples.map((sample) => sample.ms)
  const failed = samples.filter((sample) => sample.failed).length
  return `p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms, ${failed} failed`
}

/** Adds actions to the attacker's team, so that its queries multiply rows, and collects the attacker's credentials. */
async function prepareAttacker(facts: Facts): Promise<Target> {
  const client = new Client(facts.databaseUrl)
  await client.connect()
  await client.query(INSERT_ACTIONS, [ACTIONS_OF_ATTACKER])
  await client.end()
  return createTarget(facts, PEOPLE_ROOT)
}

const INSERT_ACTIONS = `
insert into action (app_id, action, name, max_verifications)
select id, 'attack-' || n, 'Attack ' || n, 1
from (select id from app where team_id = 'team_' || lpad('2', 32, '0') order by id limit 1) app,
  generate_series(1, $1) n
on conflict do nothing`

/** Finds the embedded engine among the child processes; null if the platform uses an existing Hasura. */
function findEngineProcess(): number | null {
  const isEngine = (pid: number) => readCommandLine(pid).includes('packages/engine/server.ts')
  return readChildProcessIds(process.pid).find(isEngine) ?? null
}

/** The remaining growth of the engine's memory in MB, and how long `waitForRecovery` waited, in ms. */
type Recovery = { remainingMb: number; ms: number }

/**
 * Watches the memory of a process. `stop` returns the largest growth in MB. `waitForRecovery` waits until the memory has
 * recovered, but at most for the part of `RECOVER_MS` that is left after the pause.
 */
function watchMemory(pid: number | null) {
  if (pid === null) return null
  const memoryWatch = () => readProcessCost(pid).memoryMb
  const initialMb = memoryWatch()
  let peak = initialMb
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryWatch())
  }, 250)
  return {
    stop() {
      clearInterval(timer)
      return peak - initialMb
    },
    async waitForRecovery(): Promise<Recovery> {
      const startTime = performance.now()
      const elapsed = () => performance.now() - startTime
      while (memoryWatch() - initialMb > RECOVERED_MB && elapsed() < RECOVER_MS - REST_MS)
        await sleep(250)
      return { remainingMb: memoryWatch() - initialMb, ms: elapsed() }
    },
  }
}

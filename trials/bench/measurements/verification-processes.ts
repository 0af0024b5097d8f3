import { join } from 'node:path'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { readPostmasterPid } from '../../../local/postgres/embedded-postgres.ts'
import { findProcessId } from '../../../packages/platform/processes/child-processes.ts'
import {
  startThrowawayPlatform,
  type ThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { type DeveloperApiInstance, startInstance } from '../contenders/developer-api-instance.ts'
import { type Call, runClosedLoop } from '../load/http-load.ts'
import { readChildProcessIds, readThreadTimes, sum } from '../load/process-cost.ts'
import { forgeVerifications, publishPeopleRoot } from '../load/verification-requests.ts'
import type { Figure } from '../report/figure.ts'

/** A server reaches its full speed only after some thousand requests, once its code is compiled. */
const WARM_UP = 2_000
const PEOPLE_PER_ROUND = 800
const ROUNDS = 4
const CONNECTIONS = 32

/**
 * Measures how verifications per second grow with the threads and processes of the developer API. Also measures the CPU time
 * of each part during a verification, when all cores are busy.
 */
export async function measureVerificationProcesses(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  const instances: DeveloperApiInstance[] = []
  try {
    for (const threads of [1, 1, 2]) instances.push(await startInstance(platform, threads))
    instances.push(await startInstance(platform, 1, ['--no-enable-fma3']))
    const [one, other, wide, mcl] = instances
    if (!one || !other || !wide || !mcl)
      throw new Error('Not all processes of the developer API have started.')
    return createProcessFigures(
      await measureSettings(platform, {
        single: { threads: 1, instances: [one] },
        pair: { threads: 1, instances: [one, other] },
        wide: { threads: 2, instances: [wide] },
        mcl: { threads: 1, instances: [mcl] },
      }),
    )
  } finally {
    for (const instance of instances) await instance.stop()
    await platform.stop()
  }
}

type Setting = { threads: number; instances: readonly DeveloperApiInstance[] }

/** The settings that take turns; `mcl` is `single` with mcl-wasm instead of the pairing engine. */
const NAMES = ['single', 'pair', 'wide', 'mcl'] as const

type Name = (typeof NAMES)[number]

/** The CPU time of each part in ms, in the order in which a request reaches the parts. */
type Cpu = Map<string, number>

type Total = { people: number; seconds: number; cpu: Cpu }

/** The settings take turns, so that other load on the machine affects all of them. */
async function measureSettings(
  platform: ThrowawayPlatform,
  settings: Record<Name, Setting>,
): Promise<Record<Name, Total>> {
  await publishPeopleRoot(platform.facts)
  const calls = await forgeVerifications(NAMES.length * (WARM_UP + ROUNDS * PEOPLE_PER_ROUND))
  for (const { instances } of Object.values(settings))
    await verifyPeople(instances, calls.splice(0, WARM_UP))
  const totals = {
    single: createTotal(),
    pair: createTotal(),
    wide: createTotal(),
    mcl: createTotal(),
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const name of NAMES)
      await addRound(totals[name], platform, settings[name], calls.splice(0, PEOPLE_PER_ROUND))
  return totals
}

function createTotal(): Total {
  return { people: 0, seconds: 0, cpu: new Map() }
}

async function addRound(
  total: Total,
  platform: ThrowawayPlatform,
  setting: Setting,
  calls: Call[],
) {
  const initialCpu = readCpuByPart(platform, setting)
  total.seconds += await verifyPeople(setting.instances, calls)
  total.people += calls.length
  for (const [part, ms] of readCpuByPart(platform, setting))
    total.cpu.set(part, (total.cpu.get(part) ?? 0) + ms - (initialCpu.get(part) ?? 0))
}

/** Spreads the calls over the processes. @returns the seconds until the last person was verified */
async function verifyPeople(
  instances: readonly DeveloperApiInstance[],
  calls: Call[],
): Promise<number> {
  const connections = CONNECTIONS / instances.length
  const runs = instances.map(({ url }, i) => {
    const share = calls.filter((_, n) => n % instances.length === i)
    return runClosedLoop(url, share, connections)
  })
  const runResults = await Promise.all(runs)
  const failures = runResults
    .flatMap(({ samples }) => samples)
    .filter(({ status }) => status !== 200)
  if (failures.length > 0)
    throw new Error(
      `${failures.length} of ${calls.length} verifications failed, the first with status ${failures[0]?.status}.`,
    )
  return Math.max(...runResults.map(({ seconds }) => seconds))
}

function readCpuByPart({ folder }: ThrowawayPlatform, { threads, instances }: Setting): Cpu {
  const server = readPostmasterPid(join(folder, 'postgres'))
  const { user, system } = process.cpuUsage()
  const cpu: Cpu = new Map([['the client', (user + system) / 1_000]])
  for (const { pid } of instances) {
    const [main = 0, ...otherThreads] = readThreadTimes(pid).values()
    const busiest = otherThreads.toSorted((a, b) => b - a)
    const addTime = (part: string, ms: number) => cpu.set(part, (cpu.get(part) ?? 0) + ms)
    addTime('the thread that serves HTTP', main)
    addTime('the threads that verify', sum(busiest.slice(0, threads)))
    addTime("the developer API's other threads (collector, compiler)", sum(busiest.slice(threads)))
  }
  cpu.set(
    'the embedded engine',
    sum(readThreadTimes(findProcessId('packages/engine/server.ts')).values()),
  )
  const backends = [server, ...readChildProcessIds(server)]
  return cpu.set('PostgreSQL', sum(backends.flatMap((pid) => [...readThreadTimes(pid).values()])))
}

function createProcessFigures({ single, pair, wide, mcl }: Record<Name, Total>): Figure[] {
  const baseline = peoplePerSecond(single)
  const parts = [...wide.cpu].map(([part, ms]) => ({
    name: `CPU of a verification: ${part}`,
    value: ms / wide.people,
    unit: 'ms',
  }))
  const serverMs =
    sum(wide.cpu.values()) - requireValue(wide.cpu.get('the client'), 'the time of the client')
  return [
    {
      name: '1 process with 1 verifying thread',
      value: baseline,
      unit: '/s',
      note: describeBusyCores(single),
    },
    { ...createGrowthFigure('2 processes with 1 thread each ÷ 1', pair), baseline },
    { ...createGrowthFigure('1 process with 2 threads ÷ 1', wide), baseline },
    {
      ...createGrowthFigure('POST /api/v2/verify, 1 thread ÷ with mcl-wasm', single),
      baseline: peoplePerSecond(mcl),
      target: { atLeast: 3 },
    },
    ...parts,
    {
      name: 'CPU of a verification, without the client',
      value: serverMs / wide.people,
      unit: 'ms',
    },
    {
      name: 'a million verifications',
      value: (serverMs / wide.people) * (1e6 / 3.6e6),
      unit: 'core-hours',
      target: { atMost: 0.8 },
    },
  ]
}

function createGrowthFigure(name: string, total: Total): Figure {
  return { name, value: peoplePerSecond(total), unit: '/s', note: describeBusyCores(total) }
}

function peoplePerSecond({ people, seconds }: Total): number {
  return people / seconds
}

function describeBusyCores({ cpu, seconds }: Total): string {
  return `${(sum(cpu.values()) / 1_000 / seconds).toFixed(2)} cores busy, all parts together`
}

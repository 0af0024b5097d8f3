import { join } from 'node:path'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { readPostmasterPid } from '../../../local/postgres/embedded-postgres.ts'
import { findProcessId } from '../../../packages/platform/processes/child-processes.ts'
import {
  startThrowawayPlatform,
  type ThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { type Instance, startInstance } from '../contenders/developer-api-instance.ts'
import { type Call, closedLoop } from '../load/http-load.ts'
import { childProcessIds, readThreadTimes } from '../load/process-cost.ts'
import { forgeVerifications, publishPeoplesRoot } from '../load/verification-requests.ts'
import type { Figure } from '../report/figure.ts'

/** A server reaches its full speed only when its code has run some thousand times. */
const WARM_UP = 2_000
const PEOPLE_PER_ROUND = 800
const ROUNDS = 4
const CONNECTIONS = 32

/**
 * How verifying grows with threads and with processes of the developer API, and where the CPU time of a
 * verification goes, part by part, when all cores are busy.
 */
export async function measureVerificationProcesses(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  const instances: Instance[] = []
  try {
    for (const threads of [1, 1, 2]) instances.push(await startInstance(platform, threads))
    instances.push(await startInstance(platform, 1, ['--no-enable-fma3']))
    const [one, other, wide, mcl] = instances
    if (!one || !other || !wide || !mcl) throw new Error('not all instances have started')
    return processFigures(
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

type Setting = { threads: number; instances: readonly Instance[] }

/** The settings that take turns; `mcl` is `single` with mcl-wasm in the place of the pairing engine. */
const NAMES = ['single', 'pair', 'wide', 'mcl'] as const

type Name = (typeof NAMES)[number]

/** CPU time of each part, in ms, in the order in which a request meets them. */
type Cpu = Map<string, number>

type Total = { people: number; seconds: number; cpu: Cpu }

/** The settings take turns, so that other load on the machine affects all of them. */
async function measureSettings(
  platform: ThrowawayPlatform,
  settings: Record<Name, Setting>,
): Promise<Record<Name, Total>> {
  await publishPeoplesRoot(platform.facts)
  const crowd = await forgeVerifications(NAMES.length * (WARM_UP + ROUNDS * PEOPLE_PER_ROUND))
  for (const { instances } of Object.values(settings))
    await verifyCrowd(instances, crowd.splice(0, WARM_UP))
  const totals = {
    single: emptySettingTotal(),
    pair: emptySettingTotal(),
    wide: emptySettingTotal(),
    mcl: emptySettingTotal(),
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const name of NAMES)
      await addRound(totals[name], platform, settings[name], crowd.splice(0, PEOPLE_PER_ROUND))
  return totals
}

function emptySettingTotal(): Total {
  return { people: 0, seconds: 0, cpu: new Map() }
}

async function addRound(
  total: Total,
  platform: ThrowawayPlatform,
  setting: Setting,
  crowd: Call[],
) {
  const before = cpuByPart(platform, setting)
  total.seconds += await verifyCrowd(setting.instances, crowd)
  total.people += crowd.length
  for (const [part, ms] of cpuByPart(platform, setting))
    total.cpu.set(part, (total.cpu.get(part) ?? 0) + ms - (before.get(part) ?? 0))
}

/** Spreads the crowd over the processes. @returns seconds until the last person was verified */
async function verifyCrowd(instances: readonly Instance[], crowd: Call[]): Promise<number> {
  const connections = CONNECTIONS / instances.length
  const runs = instances.map(({ url }, i) => {
    const share = crowd.filter((_, n) => n % instances.length === i)
    return closedLoop(url, share, connections)
  })
  const ended = await Promise.all(runs)
  const refused = ended.flatMap(({ samples }) => samples).filter(({ status }) => status !== 200)
  if (refused.length > 0)
    throw new Error(
      `${refused.length} of ${crowd.length} were refused, with ${refused[0]?.status}.`,
    )
  return Math.max(...ended.map(({ seconds }) => seconds))
}

function cpuByPart({ folder }: ThrowawayPlatform, { threads, instances }: Setting): Cpu {
  const server = readPostmasterPid(join(folder, 'postgres'))
  const { user, system } = process.cpuUsage()
  const cpu: Cpu = new Map([['the client', (user + system) / 1_000]])
  for (const { pid } of instances) {
    const [main = 0, ...others] = readThreadTimes(pid).values()
    const busiest = others.toSorted((a, b) => b - a)
    const use = (part: string, ms: number) => cpu.set(part, (cpu.get(part) ?? 0) + ms)
    use('the thread that serves HTTP', main)
    use('the threads that verify', totalOf(busiest.slice(0, threads)))
    use("the developer API's other threads (collector, compiler)", totalOf(busiest.slice(threads)))
  }
  cpu.set(
    'the embedded engine',
    totalOf(readThreadTimes(findProcessId('packages/engine/server.ts')).values()),
  )
  const backends = [server, ...childProcessIds(server)]
  return cpu.set(
    'PostgreSQL',
    totalOf(backends.flatMap((pid) => [...readThreadTimes(pid).values()])),
  )
}

function totalOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, one) => sum + one, 0)
}

function processFigures({ single, pair, wide, mcl }: Record<Name, Total>): Figure[] {
  const baseline = peoplePerSecond(single)
  const parts = [...wide.cpu].map(([part, ms]) => ({
    name: `CPU of a verification: ${part}`,
    value: ms / wide.people,
    unit: 'ms',
  }))
  const served =
    totalOf(wide.cpu.values()) - requireValue(wide.cpu.get('the client'), 'the time of the client')
  return [
    {
      name: '1 process with 1 verifying thread',
      value: baseline,
      unit: '/s',
      note: busyCores(single),
    },
    { ...growthFigure('2 processes with 1 thread each ÷ 1', pair), baseline },
    { ...growthFigure('1 process with 2 threads ÷ 1', wide), baseline },
    {
      ...growthFigure('POST /api/v2/verify, 1 thread ÷ the same with mcl-wasm', single),
      baseline: peoplePerSecond(mcl),
      wanted: { atLeast: 3 },
    },
    ...parts,
    { name: 'CPU of a verification, without the client', value: served / wide.people, unit: 'ms' },
    {
      name: 'a million verifications',
      value: (served / wide.people) * (1e6 / 3.6e6),
      unit: 'core-hours',
      wanted: { atMost: 0.8 },
    },
  ]
}

function growthFigure(name: string, total: Total): Figure {
  return { name, value: peoplePerSecond(total), unit: '/s', note: busyCores(total) }
}

function peoplePerSecond({ people, seconds }: Total): number {
  return people / seconds
}

function busyCores({ cpu, seconds }: Total): string {
  return `${(totalOf(cpu.values()) / 1_000 / seconds).toFixed(2)} cores busy, all parts together`
}

import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type Figure, percentile } from '../report/figure.ts'
import { type Call, runClosedLoop, runOpenLoop } from './http-load.ts'

const PER_SECOND = 200
const SECONDS = 5
const ROUNDS = 3
/** The number of logins at a time. The server lets forty logins of a caller wait, and would reject further ones at once. */
const CONCURRENT_LOGINS = 32
/** The first logins are slower, since their code is not compiled yet. */
const WARM_UP_MS = 10_000
const SETTLE_MS = 1_000
/** Spins for at most 30 s, in case this process is killed before it can kill the spinning process. */
const SPIN = 'for (const end = Date.now() + 30_000; Date.now() < end; );'

/** A lookup and its server. */
type Lookup = { url: string; call: Call }

type Times = Record<'alone' | 'flooded' | 'bareAlone' | 'bareBusy', number[]>

/**
 * Measures how much a flood of logins slows lookups. Hashing keeps the cores busy. To show how much of the delay is the machine's,
 * measures the bare route too: alone, and next to a process that spins at the lowest priority.
 */
export async function measureUnderLogins(ours: Lookup, bare: Lookup): Promise<Figure[]> {
  await runDuringLogins(ours.url, () => setTimeout(WARM_UP_MS))
  const times: Times = { alone: [], flooded: [], bareAlone: [], bareBusy: [] }
  let perSecond = 0
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(...(await measureLookups(ours)))
    perSecond = await runDuringLogins(ours.url, async () => {
      times.flooded.push(...(await measureLookups(ours)))
    })
    times.bareAlone.push(...(await measureLookups(bare)))
    await runNextToBusyCore(async () => {
      times.bareBusy.push(...(await measureLookups(bare)))
    })
  }
  return createLookupFigures(times, `${Math.round(perSecond)} passwords checked a second`)
}

function createLookupFigures(
  { alone, flooded, bareAlone, bareBusy }: Times,
  note: string,
): Figure[] {
  const p50 = (times: number[]) => percentile(times, 0.5)
  const p99 = (times: number[]) => percentile(times, 0.99)
  const row = { unit: 'ms', target: { atMost: 2 } } satisfies Partial<Figure>
  const under = { ...row, value: p99(flooded) }
  return [
    // Without a target: with both cores busy, bare Express also has more than twice its p50.
    {
      unit: 'ms',
      name: 'p99 of precheck during logins ÷ p50 without logins',
      value: p99(flooded),
      baseline: p50(alone),
      note,
    },
    { ...under, name: 'p99 of precheck during logins ÷ p99 without logins', baseline: p99(alone) },
    {
      ...under,
      name: 'p99 of precheck during logins ÷ p99 of bare express next to a busy core',
      baseline: p99(bareBusy),
    },
    {
      unit: 'ms',
      name: 'p99 of bare express next to a busy core ÷ p50 without one',
      value: p99(bareBusy),
      baseline: p50(bareAlone),
    },
    {
      ...row,
      name: 'p50 of precheck during logins ÷ p50 without logins',
      value: p50(flooded),
      baseline: p50(alone),
    },
  ]
}

/** Sends lookups at a rate far below the capacity, so that no lookup waits for another. */
async function measureLookups({ url, call }: Lookup): Promise<number[]> {
  const samples = await runOpenLoop(url, Array(SECONDS * PER_SECOND).fill(call), PER_SECOND)
  return samples.map(({ ms }) => ms)
}

/** Logs in with wrong passwords without a pause, until `work` resolves. @returns the passwords checked per second */
async function runDuringLogins(url: string, work: () => Promise<void>): Promise<number> {
  let isOn = true
  const call = {
    path: '/api/v1/login',
    body: '{"email":"ada@example.com","password":"difference"}',
  }
  function* logins(): Generator<Call> {
    while (isOn) yield call
  }
  const flood = runClosedLoop(url, logins(), CONCURRENT_LOGINS)
  await setTimeout(SETTLE_MS)
  await work()
  isOn = false
  const { samples, seconds } = await flood
  return samples.filter(({ status }) => status === 400).length / seconds
}

/** Keeps a core busy at the lowest priority until `work` resolves. */
async function runNextToBusyCore(work: () => Promise<void>): Promise<void> {
  const spinner = spawn(process.execPath, ['-e', SPIN], { stdio: 'ignore' })
  if (spinner.pid) setPriority(spinner.pid, constants.priority.PRIORITY_LOW)
  try {
    await setTimeout(SETTLE_MS)
    await work()
  } finally {
    spinner.kill('SIGKILL')
  }
}

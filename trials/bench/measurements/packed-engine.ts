import { spawn, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { endProcess, hasEnded } from '../../../local/process/end-process.ts'
import { endWithParent } from '../../../local/process/end-with-parent.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { type BenchDatabase, startBenchDatabase } from '../contenders/bench-database.ts'
import { createEngineEnvironment, ENGINE_HEADERS } from '../contenders/graphql-servers.ts'
import { WORKLOADS, type Workload } from '../load/graphql-workloads.ts'
import { runClosedLoop } from '../load/http-load.ts'
import { readProcessCost } from '../load/process-cost.ts'
import { createShop, createShopDatabase, type Shop } from '../load/shop-database.ts'
import { type Figure, percentile } from '../report/figure.ts'

const PACKED_COMMAND = ['packages/engine/dist/packages/engine/cli/program.mjs', 'serve']
const SOURCES_COMMAND = ['--import', './local/caches/start-cache.mjs', 'packages/engine/server.ts']

const ROUNDS = 7
const CONNECTIONS = 16
const WARM_UP_REQUESTS = 3_000
const REQUESTS = 3_000

/** Repeated measurements on one machine differ by up to a tenth. */
const TARGET = { atMost: 1.1 }

/** Compares the packed engine, as published to npm, with the engine's sources: start, memory and requests per second. */
export async function measurePackedEngine(): Promise<Figure[]> {
  const build = spawnSync(process.execPath, ['packages/engine/build.mjs'], { stdio: 'inherit' })
  if (build.status !== 0) throw new Error('packages/engine/build.mjs failed.')
  const site = await startBenchDatabase()
  const shop = createShop(1_000)
  try {
    const databaseUrl = await createShopDatabase(site.databaseUrl, shop)
    const run = (command: readonly string[]) => runOnce(site, databaseUrl, { command, shop })
    // The first start of each command fills its cache of compiled code.
    for (const command of [PACKED_COMMAND, SOURCES_COMMAND]) await run(command)
    const [packedRuns, sourceRuns]: [Run[], Run[]] = [[], []]
    // The two take turns, so that other load on the machine affects both.
    while (packedRuns.length < ROUNDS) {
      packedRuns.push(await run(PACKED_COMMAND))
      sourceRuns.push(await run(SOURCES_COMMAND))
    }
    return createFigures(packedRuns, sourceRuns)
  } finally {
    await site.stop()
  }
}

type Run = {
  readyMs: number
  startCpuMs: number
  idleMb: number
  underLoadMb: number
  perSecond: number
}

async function runOnce(
  site: BenchDatabase,
  databaseUrl: string,
  { command, shop }: { command: readonly string[]; shop: Shop },
): Promise<Run> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = createEngineEnvironment(databaseUrl, port, 'trials/bench/metadata')
  const begin = performance.now()
  const child = spawn(process.execPath, command, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings },
    stdio: 'ignore',
    detached: true,
  })
  endWithParent(child, 'SIGTERM')
  const pid = requireValue(child.pid, 'the id of an engine')
  while (!(await isHealthy(url))) {
    if (hasEnded(child)) throw new Error(`${command.join(' ')} does not start (${site.folder})`)
    await sleep(5)
  }
  const readyMs = performance.now() - begin
  const { cpuMs: startCpuMs } = readProcessCost(pid)
  await sleep(500)
  const { memoryMb: idleMb } = readProcessCost(pid)
  await sendQueries(url, shop, WARM_UP_REQUESTS)
  const perSecond = await sendQueries(url, shop, REQUESTS)
  const { memoryMb: underLoadMb } = readProcessCost(pid)
  await endProcess(child, { signal: 'SIGTERM', killAfterMs: 4_000 })
  return { readyMs, startCpuMs, idleMb, underLoadMb, perSecond }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz?strict=true`)).ok
  } catch {
    return false
  }
}

/** Sends queries. @returns the responses per second */
async function sendQueries(url: string, shop: Shop, count: number): Promise<number> {
  const workload = requireValue(
    WORKLOADS.find(({ name }) => name === 'by_pk'),
    'the query by primary key',
  )
  const { samples, seconds } = await runClosedLoop(
    url,
    createQueries(workload, shop, count),
    CONNECTIONS,
  )
  if (samples.some(({ failed }) => failed)) throw new Error('A request to the engine failed.')
  return count / seconds
}

function* createQueries({ engine, variables }: Workload, shop: Shop, count: number) {
  for (let n = 0; n < count; n++)
    yield {
      path: '/v1/graphql',
      body: JSON.stringify({ query: engine, variables: variables(n, shop) }),
      headers: ENGINE_HEADERS,
    }
}

function createFigures(packedRuns: readonly Run[], sourceRuns: readonly Run[]): Figure[] {
  const compare = (name: string, unit: string, of: (run: Run) => number): Figure => ({
    name: `${name}, packed ÷ sources`,
    value: percentile(packedRuns.map(of), 0.5),
    unit,
    baseline: percentile(sourceRuns.map(of), 0.5),
    target: TARGET,
  })
  return [
    compare('from the start to /healthz', 'ms', ({ readyMs }) => readyMs),
    compare('CPU of a start', 'ms', ({ startCpuMs }) => startCpuMs),
    compare('idle memory', 'MB', ({ idleMb }) => idleMb),
    compare('memory after 6,000 requests', 'MB', ({ underLoadMb }) => underLoadMb),
    { ...compare('by_pk', '/s', ({ perSecond }) => perSecond), target: { atLeast: 0.9 } },
  ]
}

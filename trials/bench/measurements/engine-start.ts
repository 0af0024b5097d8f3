import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dump } from 'js-yaml'
import { Client } from 'pg'
import { freePort } from '../../../local/process/free-port.ts'
import { startServerProcess } from '../../../packages/platform/processes/server-process.ts'
import { type BenchDatabase, startBenchDatabase } from '../contenders/bench-database.ts'
import { createEngineEnvironment } from '../contenders/graphql-servers.ts'
import { readProcessCost } from '../load/process-cost.ts'
import { type Figure, percentile } from '../report/figure.ts'

const TABLES = 30
const ROLES = 6
const STARTS = 7

/** Measures the time from the engine's start until `/healthz` reports that it is healthy, and its idle memory. */
export async function measureEngineStart(): Promise<Figure[]> {
  const site = await startBenchDatabase()
  try {
    const metadata = await createProject(site)
    // The first start fills the cache of JavaScript, which later starts use instead of the TypeScript sources.
    await timeEngineStart(site, metadata)
    const starts: Start[] = []
    while (starts.length < STARTS) starts.push(await timeEngineStart(site, metadata))
    const median = (of: (one: Start) => number) => percentile(starts.map(of), 0.5)
    const cpu = `${median(({ cpuMs }) => cpuMs).toFixed(0)} ms of CPU`
    return [
      {
        name: `from the start to /healthz, ${TABLES} tables, ${ROLES} roles`,
        value: median(({ ms }) => ms),
        unit: 'ms',
        target: { atMost: 500 },
        note: cpu,
      },
      {
        name: 'idle memory',
        value: median(({ memoryMb }) => memoryMb),
        unit: 'MB',
        target: { atMost: 120 },
      },
    ]
  } finally {
    await site.stop()
  }
}

type Start = { ms: number; cpuMs: number; memoryMb: number }

async function timeEngineStart(
  { databaseUrl, logFile }: BenchDatabase,
  metadata: string,
): Promise<Start> {
  const port = await freePort()
  const startTime = performance.now()
  const part = await startServerProcess({
    name: 'engine',
    entry: 'packages/engine/server.ts',
    env: { NODE_ENV: 'production', ...createEngineEnvironment(databaseUrl, port, metadata) },
    logFile,
    healthUrl: `http://127.0.0.1:${port}/healthz?strict=true`,
    onEnd: (error) => {
      throw error
    },
  })
  const ms = performance.now() - startTime
  const { cpuMs } = readProcessCost(part.pid)
  await sleep(2_000)
  const { memoryMb } = readProcessCost(part.pid)
  await part.stop()
  return { ms, cpuMs, memoryMb }
}

/** Creates tables that refer to each other in a chain, with permissions for every role on every table. Returns the metadata folder. */
async function createProject({ databaseUrl, folder }: BenchDatabase): Promise<string> {
  const names = Array.from({ length: TABLES }, (_, i) => `thing_${i}`)
  const client = new Client(databaseUrl)
  await client.connect()
  for (const [i, name] of names.entries())
    await client.query(
      `create table ${name} (id int primary key, owner text not null, title text, price numeric,
        tags text[], facts jsonb, made_at timestamptz default now(), next int references ${names[i - 1] ?? name})`,
    )
  await client.end()
  const metadata = join(folder, 'metadata')
  mkdirSync(join(metadata, 'databases'), { recursive: true })
  const database = { name: 'default', kind: 'postgres', tables: names.map(createTableMetadata) }
  writeFileSync(join(metadata, 'version.yaml'), 'version: 3')
  writeFileSync(join(metadata, 'databases', 'databases.yaml'), dump([database], { noRefs: true }))
  return metadata
}

function createTableMetadata(name: string): object {
  const ownRows = { owner: { _eq: 'X-Hasura-User-Id' } }
  const columns = ['id', 'owner', 'title', 'price', 'tags', 'facts', 'made_at', 'next']
  const createPermissions = (permission: object) =>
    Array.from({ length: ROLES }, (_, i) => ({ role: `role_${i}`, permission }))
  return {
    table: { schema: 'public', name },
    object_relationships: [{ name: 'following', using: { foreign_key_constraint_on: 'next' } }],
    select_permissions: createPermissions({ columns, filter: ownRows, allow_aggregations: true }),
    insert_permissions: createPermissions({ columns, check: ownRows }),
    update_permissions: createPermissions({
      columns: ['title', 'price'],
      filter: ownRows,
      check: ownRows,
    }),
    delete_permissions: createPermissions({ filter: ownRows }),
  }
}

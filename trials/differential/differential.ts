import {
  createHasuraCaller,
  requireEmptyHasura,
} from '../../packages/platform/parts/empty-hasura.ts'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { type Amount, compareServers } from './compare-servers.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { writeRecordings } from './recordings/recording.ts'
import { REFERENCE_PROPERTIES } from './reference/properties.ts'
import { REFERENCE_SCHEMA } from './reference/reference-world.ts'
import { replayRecordings } from './replay-recordings.ts'
import { type EngineHost, openEngineHost } from './servers/embedded-engine.ts'
import { runSqlOn, serverAt } from './servers/graphql-server.ts'
import { openStage } from './servers/stage.ts'
import { startSummary } from './summary.ts'

/** `npm run test:differential`: see `--help`. */
try {
  exitOnSignals()
  process.exitCode = (await run(readOptions(process.argv.slice(2)))) ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

/** @returns whether there was no difference but those on purpose */
async function run(options: Options): Promise<boolean> {
  const { HASURA_GRAPHQL_ENDPOINT: endpoint } = process.env
  const { help, recorded, record, database } = options
  if (help) {
    console.info(HELP)
    return true
  }
  if (record !== undefined && !endpoint)
    throw new Error('--record needs a Hasura: set HASURA_GRAPHQL_ENDPOINT.')
  const host = await openEngineHost(database)
  try {
    if (recorded.length > 0) return await compareRecorded(host, recorded)
    console.info(`Seed ${options.seed}: the same operations come with --seed ${options.seed}.`)
    return endpoint
      ? await compareGiven(host, endpoint.replace(/\/$/, ''), options)
      : await compareReference(host, options)
  } finally {
    await host.stop()
  }
}

async function compareRecorded(host: EngineHost, files: readonly string[]): Promise<boolean> {
  const summary = startSummary()
  await replayRecordings(host, files, summary)
  return summary.finish()
}

async function compareGiven(
  host: EngineHost,
  endpoint: string,
  { record, tries, ...amount }: Options,
): Promise<boolean> {
  const { HASURA_GRAPHQL_ADMIN_SECRET: secret = '' } = process.env
  const version = await requireEmptyHasura(endpoint, createHasuraCaller(endpoint, secret))
  console.info(`Held against Hasura ${version} at ${endpoint}.`)
  const engine = await host.start(settingsOfGiven())
  const given = await openStage(serverAt(endpoint, secret))
  const summary = startSummary()
  try {
    const embedded = await openStage(engine.server)
    const recordings = await compareServers({ given, embedded, maxTries: tries }, amount, summary)
    if (record !== undefined) writeRecordings(record, recordings)
  } finally {
    await given.clear()
    await engine.stop()
  }
  return summary.finish()
}

/** The settings of the given Hasura that change its answers. */
function settingsOfGiven(): Record<string, string> {
  const names = ['STRINGIFY_NUMERIC_TYPES', 'INFER_FUNCTION_PERMISSIONS', 'EXPERIMENTAL_FEATURES']
  const given = names.map((name) => `HASURA_GRAPHQL_${name}`)
  return Object.fromEntries(
    given.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

async function compareReference(host: EngineHost, amount: Amount): Promise<boolean> {
  const engine = await host.start({})
  const summary = startSummary()
  try {
    for (const statement of REFERENCE_SCHEMA) await runSqlOn(engine.server, statement)
    for (const { name, operations, check } of REFERENCE_PROPERTIES) {
      const share = amount.operations / REFERENCE_PROPERTIES.length / operations
      const numRuns = Math.max(1, Math.ceil(share))
      const found = await check(engine.server, { seed: amount.seed, numRuns })
      console.info(`${name}: ${found ? 'different' : `${numRuns} random worlds alike`}`)
      if (!found) for (let i = 0; i < numRuns * operations; i += 1) summary.agree()
      else {
        summary.differ({ kind: 'data', summary: found.difference })
        summary.show(found)
      }
    }
  } finally {
    await engine.stop()
  }
  return summary.finish()
}

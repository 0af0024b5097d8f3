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

/** @returns true if all differences were deliberate */
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
    console.info(`To repeat the same operations, use --seed ${options.seed}.`)
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
  console.info(`The engine is compared with Hasura ${version} at ${endpoint}.`)
  const engine = await host.start(hasuraSettings())
  const hasura = await openStage(serverAt(endpoint, secret))
  const summary = startSummary()
  try {
    const embedded = await openStage(engine.server)
    const recordings = await compareServers({ hasura, embedded, maxTries: tries }, amount, summary)
    if (record !== undefined) writeRecordings(record, recordings)
  } finally {
    await hasura.clear()
    await engine.stop()
  }
  return summary.finish()
}

/** Reads the settings of Hasura that change its responses. */
function hasuraSettings(): Record<string, string> {
  const names = ['STRINGIFY_NUMERIC_TYPES', 'INFER_FUNCTION_PERMISSIONS', 'EXPERIMENTAL_FEATURES']
  const variables = names.map((name) => `HASURA_GRAPHQL_${name}`)
  return Object.fromEntries(
    variables.flatMap((name) => {
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
      const reproduction = await check(engine.server, { seed: amount.seed, numRuns })
      console.info(`${name}: ${reproduction ? 'different' : `${numRuns} random worlds alike`}`)
      if (!reproduction) for (let i = 0; i < numRuns * operations; i += 1) summary.agree()
      else {
        summary.differ({ kind: 'data', summary: reproduction.difference })
        summary.show(reproduction)
      }
    }
  } finally {
    await engine.stop()
  }
  return summary.finish()
}

import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { isLoopback } from '../../../../lib/runtime/http/own-hosts.ts'
import { removePasswords } from '../../../../local/postgres/remove-passwords.ts'
import { postgresSources, sourceAddress } from '../../compiler/model/source-address.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { readMetadata } from '../../metadata/folder/read-metadata-folder.ts'
import { sourceNames } from '../../metadata/folder/source-names.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import { explainStartFailure } from '../../project/explain-start-failure.ts'
import { type Project, readProject } from '../../project/project.ts'
import { applySeeds, readSeeds, type Seed } from '../../project/seeds.ts'
import { readMigrations } from '../../runtime/database/migration-files.ts'
import { type ServedEngine, serveEngine } from '../../server/serve-engine.ts'
import {
  type CommandLineProgram,
  databaseUrlOption,
  type Options,
  PROJECT_OPTIONS,
  portOption,
  projectOptions,
  type Terminal,
  textOption,
} from '../command-line-program.ts'
import { listInconsistencies } from '../list-inconsistencies.ts'
import {
  ENV_OPTION,
  explainWithheld,
  type ShellVariables,
  shellVariables,
} from '../shell-variables.ts'
import { type DevDatabase, embeddedDatabase, existingDatabase } from './dev-database.ts'
import {
  addressVariables,
  devEnvironment,
  sourcesElsewhere,
  type Variables,
} from './dev-environment.ts'
import { type Ending, listenForEnding } from './listen-for-ending.ts'
import { openBrowser } from './open-browser.ts'
import { createTerminalLog } from './terminal-log.ts'
import { watchProject } from './watch-project.ts'

/** The folder of dev's own database, inside the project's folder. */
const DATA_FOLDER = '.postgres-graphql-engine'

/** `dev`: starts a database and the engine for work on a project. */
export const dev: CommandLineProgram = {
  name: 'dev',
  description: 'starts a database and the engine, and applies your changes to the project',
  options: {
    ...PROJECT_OPTIONS,
    ...ENV_OPTION,
    'database-url': {
      value: 'URL',
      about: 'uses this PostgreSQL; default: start one with a data folder',
    },
    data: { value: 'FOLDER', about: `the data folder; default: ${DATA_FOLDER}` },
    fresh: { about: 'deletes the data in the data folder first' },
    'no-seeds': { about: 'does not apply the seeds to a new database' },
    'admin-secret': {
      value: 'SECRET',
      about: 'the admin secret; without it, every program on this machine is admin',
    },
    host: {
      value: 'ADDRESS',
      about:
        'the address to listen on; default: 127.0.0.1. An address that other machines reach needs an admin secret',
    },
    port: { value: 'PORT', about: 'the port to listen on, 0 for any free port; default: 8080' },
    console: { about: 'opens GraphiQL in your browser' },
  },
  examples: ['dev', 'dev --fresh --console', 'dev --database-url postgres://me@localhost/shop'],
  async run(options, terminal) {
    const ending = listenForEnding()
    try {
      await develop(options, terminal, ending)
      return 0
    } catch (error) {
      // Ctrl-C also stops a PostgreSQL server that is starting. Then its failure to start is not an error.
      if (await ending.hasArrived()) return 0
      throw error
    }
  },
}

/** Serves the project until this process gets a signal to end. */
async function develop(options: Options, terminal: Terminal, ending: Ending) {
  const shell = shellVariables(options, terminal.variables)
  const project = await readProject(projectOptions(options), shell.readable)
  const port = portOption(options)
  const host = hostOption(options, project)
  const database = await openDatabase(project, options, shell)
  // Watching begins before the engine starts. Otherwise dev would miss a change to a file that the starting engine has already read.
  const { promise: starting, resolve: onStarted } = Promise.withResolvers<ServedEngine>()
  let stopWatching = () => {}
  try {
    stopWatching = watchProject(project, async () => applyChanges(await starting, terminal, shell))
    const engine = await startDevEngine({ project, database, host, port, options, terminal, shell })
    onStarted(engine)
    const databaseError = await Promise.race([ending.request, database.unexpectedEnd])
    stopWatching()
    await engine.stop()
    if (databaseError)
      throw new Error(`${databaseError.message} Its data is kept: start dev again.`)
  } finally {
    stopWatching()
    await database.stop()
  }
}

/**
 * Returns the address to listen on.
 *
 * @throws Error if other machines can reach it, and the project has no admin secret
 */
function hostOption(options: Options, { adminSecret }: Project): string {
  const host = textOption(options, 'host') ?? '127.0.0.1'
  if (adminSecret || isLoopback(host)) return host
  throw new Error(
    `--host ${host} lets other machines connect, and without an admin secret every caller is admin. Set a secret with --admin-secret SECRET or HASURA_GRAPHQL_ADMIN_SECRET.`,
  )
}

async function openDatabase(project: Project, options: Options, shell: ShellVariables) {
  const url = databaseUrlOption(options) ?? shell.readable.HASURA_GRAPHQL_DATABASE_URL
  if (url) return existingDatabase(url)
  const folder = resolve(textOption(options, 'data') ?? join(project.folder, DATA_FOLDER))
  const fresh = options.fresh === true
  if (fresh) await requireNoneElsewhere(project, shell.readable)
  return embeddedDatabase(folder, { fresh })
}

/**
 * Rejects `--fresh` if a source with migrations uses another server. `--fresh` deletes the record of applied migrations, so all
 * migrations of this source would run again.
 */
async function requireNoneElsewhere(project: Project, variables: Variables): Promise<void> {
  const migrations = await readMigrations(
    project.migrationsDir,
    await sourceNames(project.metadataDir),
  )
  for (const { source, variable } of await sourcesElsewhere(project, variables))
    if (migrations.get(source)?.length)
      throw new Error(
        `--fresh deletes the record of applied migrations, so the migrations of source "${source}" would run again on the database in ${variable}. Unset ${variable} to use a database that dev creates, or start without --fresh.`,
      )
}

type Development = {
  project: Project
  database: DevDatabase
  host: string
  port: string | undefined
  options: Options
  terminal: Terminal
  shell: ShellVariables
}

async function startDevEngine(development: Development): Promise<ServedEngine> {
  const { project, database, host, port, options, terminal, shell } = development
  const settings = { database, variables: shell.readable, host, port }
  const environment = await devEnvironment(project, settings)
  const advice = explainWithheld(await addressVariables(project), shell.withheldNames)
  if (advice) terminal.complain(advice)
  const config = readConfig(environment)
  const log = createTerminalLog(terminal.write)
  // Seeds are applied before the engine listens, so a program that waits for the engine also finds the rows of the seeds.
  const seeding = () => seedOnce(development, config)
  const engine = await serveEngine(config, log, seeding).catch((error: unknown) => {
    throw explainStartFailure(error, REMEDIES)
  })
  const url = `http://${host === '0.0.0.0' ? 'localhost' : host}:${engine.port}`
  if (engine.inconsistencies().length > 0)
    terminal.complain(listInconsistencies(engine.inconsistencies(), shell.withheldNames))
  terminal.write(addresses({ url, database, adminSecret: config.adminSecret }))
  if (options.console) openBrowser(`${url}/console`)
  return engine
}

const REMEDIES = {
  database:
    'Pass its address with --database-url URL. Without this option the command starts a PostgreSQL.',
  address: 'Choose another port with --port PORT, or another address with --host ADDRESS.',
}

/**
 * Applies the seeds once to dev's own database, and never to another server, which may hold real data. If a seed fails, the
 * engine serves without seeds, and the next start tries again.
 */
async function seedOnce(
  { project, database, options, terminal }: Development,
  config: Config,
): Promise<void> {
  if (!database.needsSeeds) return
  const seeds = options['no-seeds'] ? [] : await readSeeds(project)
  const { metadata } = await readMetadata(project.metadataDir)
  const urlOf = (source: string) => urlOfSource(metadata, source, config)
  const isHere = ({ source }: Seed) => new URL(urlOf(source)).host === new URL(database.url).host
  try {
    await applySeeds(seeds.filter(isHere), urlOf)
  } catch (error) {
    // A failed seed does not stop dev, because seeds often do not fit the latest tables. Hasura never runs seeds automatically.
    terminal.complain(`${messageOf(error)}. No seeds applied. ${SEEDS_REMEDY}`)
    return
  }
  await database.recordSeeds()
  for (const seed of seeds)
    terminal.write(
      isHere(seed)
        ? `seed ${seed.name} applied`
        : `seed ${seed.name} skipped: the database of source "${seed.source}" is on another server`,
    )
}

const SEEDS_REMEDY = 'The next start tries again; --no-seeds skips them.'

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** @throws Inconsistent if the source has no address */
function urlOfSource(metadata: Metadata, name: string, config: Config): string {
  const source = postgresSources(metadata).find((one) => one.name === name)
  return source ? sourceAddress(source, config).url : config.databaseUrl
}

type Addresses = { url: string; database: DevDatabase; adminSecret: string | null }

function addresses({ url, database, adminSecret }: Addresses): string {
  // Hides the password of a database that dev did not start.
  const databaseUrl = database.isEmbedded ? database.url : removePasswords(database.url)
  return `
  GraphQL       ${url}/v1/graphql
  Console       ${url}/console
  Admin secret  ${adminSecret ?? 'none: every program on this machine is admin'}
  PostgreSQL    ${databaseUrl}${database.folder === null ? '' : `\n  Data folder   ${database.folder}`}

Ready. Changes to the project are applied automatically. Ctrl-C stops dev.`
}

/** Applies the changed project. If that fails, the engine keeps its current metadata. */
async function applyChanges(
  engine: ServedEngine,
  { write, complain }: Terminal,
  { withheldNames }: ShellVariables,
) {
  const begin = performance.now()
  try {
    const inconsistencies = await engine.applyProject()
    if (inconsistencies.length > 0) complain(listInconsistencies(inconsistencies, withheldNames))
    write(`applied in ${Math.round(performance.now() - begin)} ms`)
  } catch (error) {
    complain(`not applied: ${messageOf(error)}`)
  }
}

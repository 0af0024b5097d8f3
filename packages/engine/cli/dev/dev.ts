import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { isLoopback } from '../../../../lib/runtime/http/own-hosts.ts'
import { withoutPassword } from '../../../../local/postgres/without-password.ts'
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
import { type DevDatabase, embeddedDatabase, givenDatabase } from './dev-database.ts'
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

/** The folder of the database that is started here, in the project's. */
const DATA_FOLDER = '.postgres-graphql-engine'

/** `dev`: everything that a project needs to be worked on. */
export const dev: CommandLineProgram = {
  name: 'dev',
  about: 'starts a database and the engine, and applies what you change in the project',
  options: {
    ...PROJECT_OPTIONS,
    ...ENV_OPTION,
    'database-url': { value: 'URL', about: 'a PostgreSQL of yours; if not given, one is started' },
    data: { value: 'FOLDER', about: `where that one keeps its data; else ${DATA_FOLDER}` },
    fresh: { about: 'throws that data away first' },
    'no-seeds': { about: 'leaves a new database without the rows of the seeds' },
    'admin-secret': {
      value: 'SECRET',
      about: 'the admin secret; without any, every program of this machine is admin',
    },
    host: {
      value: 'ADDRESS',
      about:
        'the address to listen on; else 127.0.0.1. One that others reach needs an admin secret',
    },
    port: { value: 'PORT', about: 'the port to listen on; else 8080' },
    console: { about: 'opens GraphiQL in your browser' },
  },
  examples: ['dev', 'dev --fresh --console', 'dev --database-url postgres://me@localhost/shop'],
  async run(options, terminal) {
    const ending = listenForEnding()
    try {
      await develop(options, terminal, ending)
      return 0
    } catch (error) {
      // Ctrl-C also ends what is being started: that it did not start is then no fault.
      if (await ending.isTold()) return 0
      throw error
    }
  },
}

/** Serves the project until this process is told to end. */
async function develop(options: Options, terminal: Terminal, { told }: Ending) {
  const shell = shellVariables(options, terminal.variables)
  const project = await readProject(projectOptions(options), shell.given)
  const port = portOption(options)
  const host = hostOption(options, project)
  const database = await openDatabase(project, options, shell)
  // From the beginning, since what changes while the engine starts may come too late for it.
  const { promise: starting, resolve: onStarted } = Promise.withResolvers<ServedEngine>()
  let stopWatching = () => {}
  try {
    stopWatching = watchProject(project, async () => applyChanges(await starting, terminal, shell))
    const engine = await startDevEngine({ project, database, host, port, options, terminal, shell })
    onStarted(engine)
    const lost = await Promise.race([told, database.ended])
    stopWatching()
    await engine.stop()
    if (lost) throw new Error(`${lost.message} Its data is kept: start dev again.`)
  } finally {
    stopWatching()
    await database.stop()
  }
}

/**
 * The address to listen on.
 *
 * @throws Error where others reach it, and each of them would be admin
 */
function hostOption(options: Options, { adminSecret }: Project): string {
  const host = textOption(options, 'host') ?? '127.0.0.1'
  if (adminSecret || isLoopback(host)) return host
  throw new Error(
    `--host ${host} can be reached from other machines, and without an admin secret every caller is admin. Give one by --admin-secret SECRET or HASURA_GRAPHQL_ADMIN_SECRET.`,
  )
}

async function openDatabase(project: Project, options: Options, shell: ShellVariables) {
  const given = databaseUrlOption(options) ?? shell.given.HASURA_GRAPHQL_DATABASE_URL
  if (given) return givenDatabase(given)
  const folder = resolve(textOption(options, 'data') ?? join(project.folder, DATA_FOLDER))
  const fresh = options.fresh === true
  if (fresh) await requireNoneElsewhere(project, shell.given)
  return embeddedDatabase(folder, { fresh })
}

/**
 * Which migrations were applied is noted in the data that `--fresh` throws away: the database of a source that is elsewhere would get
 * all of its migrations once more.
 */
async function requireNoneElsewhere(project: Project, variables: Variables): Promise<void> {
  const migrations = await readMigrations(
    project.migrationsDir,
    await sourceNames(project.metadataDir),
  )
  for (const { source, variable } of await sourcesElsewhere(project, variables))
    if (migrations.get(source)?.length)
      throw new Error(
        `--fresh throws away what is noted of migrations, and those of source "${source}" would be applied once more where ${variable} leads. Unset ${variable} for a database that is made here, or start without --fresh.`,
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
  const settings = { database, variables: shell.given, host, port }
  const environment = await devEnvironment(project, settings)
  const withheld = explainWithheld(await addressVariables(project), shell.withheld)
  if (withheld) terminal.complain(withheld)
  const config = readConfig(environment)
  const log = createTerminalLog(terminal.write)
  // What waits for the engine to answer then finds the rows, too.
  const seeding = () => seedOnce(development, config)
  const engine = await serveEngine(config, log, seeding).catch((error: unknown) => {
    throw explainStartFailure(error, REMEDIES)
  })
  const url = `http://${host === '0.0.0.0' ? 'localhost' : host}:${engine.port}`
  if (engine.inconsistencies().length > 0)
    terminal.complain(listInconsistencies(engine.inconsistencies(), shell.withheld))
  terminal.write(addresses({ url, database, adminSecret: config.adminSecret }))
  if (options.console) openBrowser(`${url}/console`)
  return engine
}

const REMEDIES = {
  database: 'Its address is given by --database-url URL; without one a PostgreSQL is started.',
  address: 'Another port is chosen by --port PORT, another address by --host ADDRESS.',
}

/**
 * Applies the seeds to a database that has not had them, and never to one on another server, whose rows are somebody's. Where one
 * fails, the engine serves without them, and the next start tries again.
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
    // Seeds are often older than the tables; Hasura runs none by itself.
    terminal.complain(`${messageOf(error)}. No seeds are applied. ${SEEDS_REMEDY}`)
    return
  }
  await database.noteSeeded()
  for (const seed of seeds)
    terminal.write(
      isHere(seed)
        ? `seed ${seed.name} applied`
        : `seed ${seed.name} left out: the database of source "${seed.source}" is on another server`,
    )
}

const SEEDS_REMEDY = 'The next start tries again; with --no-seeds it leaves them out.'

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** @throws Inconsistent where the metadata leads to no address */
function urlOfSource(metadata: Metadata, name: string, config: Config): string {
  const source = postgresSources(metadata).find((one) => one.name === name)
  return source ? sourceAddress(source, config).url : config.databaseUrl
}

type Addresses = { url: string; database: DevDatabase; adminSecret: string | null }

function addresses({ url, database, adminSecret }: Addresses): string {
  // The password of a database that was started here is ours to show.
  const databaseUrl = database.isEmbedded ? database.url : withoutPassword(database.url)
  return `
  GraphQL       ${url}/v1/graphql
  Console       ${url}/console
  Admin secret  ${adminSecret ?? 'none: every program of this machine is admin'}
  PostgreSQL    ${databaseUrl}${database.folder === null ? '' : `\n  Its data      ${database.folder}`}

Ready. What you change in the project is applied. Ctrl-C ends it.`
}

/** After a mistake the engine goes on with what it had, and the next change is another chance. */
async function applyChanges(
  engine: ServedEngine,
  { write, complain }: Terminal,
  { withheld }: ShellVariables,
) {
  const begin = performance.now()
  try {
    const inconsistencies = await engine.applyProject()
    if (inconsistencies.length > 0) complain(listInconsistencies(inconsistencies, withheld))
    write(`applied in ${Math.round(performance.now() - begin)} ms`)
  } catch (error) {
    complain(`not applied: ${messageOf(error)}`)
  }
}

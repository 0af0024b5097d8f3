import { rm } from 'node:fs/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { Inconsistent } from '../compiler/model/inconsistency.ts'
import { readMetadataDefaults, withMetadataDefaults } from '../compiler/model/metadata-defaults.ts'
import { postgresSources, sourceAddress } from '../compiler/model/source-address.ts'
import { buildCheckedModel } from '../compiler/schema/checked-model.ts'
import { type Config, readConfig } from '../config/config.ts'
import { ignoredVariables } from '../config/ignored-variables.ts'
import { readMetadata } from '../metadata/folder/read-metadata-folder.ts'
import type { Metadata, SourceMetadata } from '../metadata/metadata.ts'
import { type Catalog, readCatalog } from '../postgres/catalog.ts'
import { explainStartFailure } from '../project/explain-start-failure.ts'
import { type Project, readProject } from '../project/project.ts'
import { prepareDatabase } from '../runtime/database/migrations.ts'
import { createIntrospections } from '../runtime/remote/introspections.ts'
import {
  type CommandLineProgram,
  databaseUrlOption,
  PROJECT_OPTIONS,
  projectOptions,
} from './command-line-program.ts'
import { type DevDatabase, embeddedDatabase, existingDatabase } from './dev/dev-database.ts'
import { devEnvironment, type Variables } from './dev/dev-environment.ts'
import { listInconsistencies } from './list-inconsistencies.ts'
import { ENV_OPTION, shellVariables } from './shell-variables.ts'

/** `check`: reports whether the metadata fits a database and this engine. */
export const check: CommandLineProgram = {
  name: 'check',
  description: 'checks the metadata against the tables that the migrations create; for CI',
  options: {
    ...PROJECT_OPTIONS,
    ...ENV_OPTION,
    strict: { about: 'also fails if the engine ignores a part of the metadata' },
    'database-url': {
      value: 'URL',
      about:
        'a database that has the tables; check only reads it. Default: apply the migrations to a temporary one',
    },
  },
  examples: ['check', 'check --database-url postgres://me@localhost/shop'],
  async run(options, { variables, write, complain }) {
    const { readable: shell, withheldNames } = shellVariables(options, variables)
    const project = await readProject(projectOptions(options), shell)
    const { metadata, warnings } = await readMetadata(project.metadataDir)
    const url = databaseUrlOption(options)
    const database = url ? existingDatabase(url) : await throwawayDatabase()
    try {
      const config = readConfig(await checkEnvironment(project, database, shell))
      if (!url) await prepareDatabase(config, pino({ level: 'silent' }), Promise.resolve(metadata))
      for (const { variable, reason } of ignoredVariables(config.environment, metadata))
        complain(`${variable} has no effect: ${reason}`)
      const inconsistencies = await findInconsistencies(metadata, config)
      for (const warning of warnings) complain(warning)
      if (inconsistencies.length === 0) write('The metadata is consistent.')
      else complain(listInconsistencies(inconsistencies, withheldNames))
      const isRefused = inconsistencies.length > 0 || (options.strict && warnings.length > 0)
      return isRefused ? 1 : 0
    } catch (error) {
      throw explainStartFailure(error, REMEDIES)
    } finally {
      await database.stop()
    }
  },
}

const REMEDIES = {
  database:
    'Pass its address with --database-url URL. Without this option the command starts a PostgreSQL.',
  address: '',
}

/** Ignores the shell's database addresses if the database is temporary, so that migrations run only on the temporary server. */
function checkEnvironment(project: Project, database: DevDatabase, variables: Variables) {
  const shell = database.isEmbedded ? {} : variables
  return devEnvironment(project, { database, variables: shell, host: '127.0.0.1', port: undefined })
}

/** Finds the objects of the metadata that an engine would not serve. Only reads the databases. */
async function findInconsistencies(ownMetadata: Metadata, config: Config) {
  const metadata = withMetadataDefaults(ownMetadata, readMetadataDefaults(config.metadataDefaults))
  const introspections = await createIntrospections(config).read(metadata)
  const readings = postgresSources(metadata).map(
    async (source) => [source.name, await catalogOf(source, config)] as const,
  )
  const catalogs = new Map(await Promise.all(readings))
  return buildCheckedModel({ catalogs, metadata, introspected: introspections, settings: config })
    .inconsistencies
}

async function catalogOf(source: SourceMetadata, config: Config): Promise<Catalog | Inconsistent> {
  let url: string | undefined
  try {
    url = sourceAddress(source, config).url
    return await readOnly(url, source)
  } catch (error) {
    if (error instanceof Inconsistent) return error
    // If the main database is unreachable, the whole check fails, because this is no inconsistency of the metadata.
    if (url === config.databaseUrl) throw error
    const reason = error instanceof Error ? error.message : String(error)
    return new Inconsistent(`its database cannot be read: ${reason}`)
  }
}

async function readOnly(url: string, source: SourceMetadata): Promise<Catalog> {
  const client = new Client({
    connectionString: url,
    options: '-c default_transaction_read_only=on',
    application_name: 'engine check',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return await readCatalog(client, source)
  } finally {
    await client.end()
  }
}

async function throwawayDatabase() {
  const folder = temporaryFolder('postgres-graphql-engine-')
  const remove = () => rm(folder, { recursive: true, force: true })
  const database = await embeddedDatabase(folder, { fresh: false }).catch(
    async (error: unknown) => {
      await remove()
      throw error
    },
  )
  return {
    ...database,
    async stop() {
      await database.stop()
      await remove()
    },
  }
}

import { rm } from 'node:fs/promises'
import { pino } from 'pino'
import { temporaryFolder } from '../../lib/process/temporary-folder.ts'
import { readConfig } from '../config.ts'
import { prepareDatabase } from '../database/migrations.ts'
import { openEngine } from '../engine.ts'
import { readMetadata } from '../metadata/read-metadata-folder.ts'
import { readProject } from '../project/project.ts'
import {
  type CommandLineProgram,
  PROJECT_OPTIONS,
  projectOptions,
  textOption,
} from './command-line-program.ts'
import { embeddedDatabase, givenDatabase } from './dev/dev-database.ts'
import { devEnvironment } from './dev/dev-environment.ts'
import { listInconsistencies } from './list-inconsistencies.ts'

/** `check`: whether the metadata fits a database, and this engine. */
export const check: CommandLineProgram = {
  name: 'check',
  about: 'tells whether the metadata fits the database that the migrations make; for CI',
  options: {
    ...PROJECT_OPTIONS,
    'database-url': {
      value: 'URL',
      about: 'a database that has the tables: it is read only; else one is made of the migrations',
    },
  },
  examples: ['check', 'check --database-url postgres://me@localhost/shop'],
  async run(options, { variables, write, complain }) {
    const project = await readProject(projectOptions(options), variables)
    const metadata = await readMetadata(project.metadataDir)
    const given = textOption(options, 'database-url')
    const database = given ? givenDatabase(given) : await throwawayDatabase()
    try {
      const environment = { database, variables, host: '127.0.0.1', port: undefined }
      const config = readConfig(await devEnvironment(project, environment))
      const log = pino({ level: 'silent' })
      if (!given) await prepareDatabase(config, log, async () => {})
      const engine = await openEngine(config, log, metadata)
      const { inconsistencies } = engine.schemaCache()
      await engine.close()
      if (inconsistencies.length === 0) write('The metadata is consistent.')
      else complain(listInconsistencies(inconsistencies))
      return inconsistencies.length === 0 ? 0 : 1
    } finally {
      await database.stop()
    }
  },
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

import { basename } from 'node:path'
import { z } from 'zod'
import { readMetadataDocument } from '../metadata/read-metadata-folder.ts'
import { sourceName } from '../metadata/source-name.ts'
import { applyMigrations } from '../project/migrate-server.ts'
import { readProject } from '../project/project.ts'
import { readSeeds } from '../project/seeds.ts'
import { connectToServer } from '../project/server-connection.ts'
import {
  type CommandLineProgram,
  PROJECT_OPTIONS,
  projectOptions,
  SERVER_OPTIONS,
} from './command-line-program.ts'
import { InconsistentObjects, listInconsistencies } from './list-inconsistencies.ts'

/** `apply`: brings a server to the state of the project. */
export const apply: CommandLineProgram = {
  name: 'apply',
  about: 'applies migrations and metadata to a running server',
  options: {
    ...PROJECT_OPTIONS,
    ...SERVER_OPTIONS,
    seeds: { about: 'runs the seeds too' },
  },
  examples: ['apply', 'apply --endpoint https://graphql.example.com --admin-secret "$SECRET"'],
  async run(options, { variables, write, complain }) {
    const project = await readProject(projectOptions(options), variables)
    const server = connectToServer(project)
    // Read first: where it cannot be read, nothing is changed.
    const metadata = await readMetadataDocument(project.metadataDir)
    await applyMigrations(project, server, ({ folder }) =>
      write(`migration ${basename(folder)} applied`),
    )
    if (options.seeds) {
      const source = await sourceName(project.metadataDir)
      for (const { name, sql } of await readSeeds(project)) {
        await server.runSql(source, sql)
        write(`seed ${name} applied`)
      }
    }
    const answer = Applied.parse(
      await server.metadata('replace_metadata', { allow_inconsistent_metadata: true, metadata }, 2),
    )
    write(`metadata applied to ${server.endpoint}`)
    if (answer.inconsistent_objects.length === 0) return 0
    complain(listInconsistencies(answer.inconsistent_objects))
    return 1
  },
}

const Applied = z.looseObject({ inconsistent_objects: InconsistentObjects })

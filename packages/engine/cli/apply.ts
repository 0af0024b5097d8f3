import { z } from 'zod'
import { readMetadataDocument } from '../metadata/folder/read-metadata-folder.ts'
import { sourceNames } from '../metadata/folder/source-names.ts'
import { applyMigrations } from '../project/migrate-server.ts'
import { readProject } from '../project/project.ts'
import { readSeeds } from '../project/seeds.ts'
import { connectToServer, type ServerConnection } from '../project/server-connection.ts'
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
  description: 'applies migrations and metadata to a running server',
  options: {
    ...PROJECT_OPTIONS,
    ...SERVER_OPTIONS,
    seeds: { about: 'runs the seeds too' },
  },
  examples: ['apply', 'apply --endpoint https://graphql.example.com --admin-secret "$SECRET"'],
  async run(options, { variables, write, complain }) {
    const project = await readProject(projectOptions(options), variables)
    const server = connectToServer(project)
    // The metadata is read before any change, so that the server stays unchanged if the metadata cannot be read.
    const metadata = await readMetadataDocument(project.metadataDir)
    const sources = await sourceNames(project.metadataDir)
    // A migration needs its source, so the server must know all sources first.
    if (!(await hasSources(server, sources))) await replaceMetadata(server, metadata)
    await applyMigrations(project, server, ({ name }) => write(`migration ${name} applied`))
    if (options.seeds) {
      for (const { source, name, sql } of await readSeeds(project)) {
        await server.runSql(source, sql)
        write(`seed ${name} applied`)
      }
    }
    const inconsistent = await replaceMetadata(server, metadata)
    write(`metadata applied to ${server.endpoint}`)
    if (inconsistent.length === 0) return 0
    complain(listInconsistencies(inconsistent))
    return 1
  },
}

async function hasSources(server: ServerConnection, names: readonly string[]): Promise<boolean> {
  const { sources } = ExportedMetadata.parse(await server.metadata('export_metadata'))
  const serverSources = new Set(sources.map(({ name }) => name))
  return names.every((name) => serverSources.has(name))
}

const ExportedMetadata = z.looseObject({
  sources: z.array(z.looseObject({ name: z.string() })).default([]),
})

/** @returns the inconsistent objects, which the server does not serve */
async function replaceMetadata(server: ServerConnection, metadata: Record<string, unknown>) {
  const args = { allow_inconsistent_metadata: true, metadata }
  return ReplaceResult.parse(await server.metadata('replace_metadata', args, 2))
    .inconsistent_objects
}

const ReplaceResult = z.looseObject({ inconsistent_objects: InconsistentObjects })

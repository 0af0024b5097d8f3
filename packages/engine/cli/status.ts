import { z } from 'zod'
import { readMetadataDocument } from '../metadata/folder/read-metadata-folder.ts'
import { MetadataDocument } from '../metadata-store/edit/metadata-document.ts'
import { compareMetadata } from '../project/compare-metadata.ts'
import { type MigrationStatus, migrationStatus } from '../project/migrate-server.ts'
import { type Project, readProject } from '../project/project.ts'
import { connectToServer, type ServerConnection } from '../project/server-connection.ts'
import {
  type CommandLineProgram,
  PROJECT_OPTIONS,
  projectOptions,
  SERVER_OPTIONS,
} from './command-line-program.ts'
import { InconsistentObjects, listInconsistencies } from './list-inconsistencies.ts'

/** `status`: compares a server with the project. Changes nothing. */
export const status: CommandLineProgram = {
  name: 'status',
  description: 'compares the migrations and metadata of a running server with the project',
  options: { ...PROJECT_OPTIONS, ...SERVER_OPTIONS },
  examples: ['status'],
  async run(options, { variables, write }) {
    const project = await readProject(projectOptions(options), variables)
    const server = connectToServer(project)
    const statuses = await migrationStatus(project, server)
    for (const sourceStatus of statuses)
      write(describeMigrations(sourceStatus, statuses.length > 1))
    write(await describeMetadata(project, server))
    const { inconsistent_objects: objects } = Inconsistent.parse(
      await server.metadata('get_inconsistent_metadata'),
    )
    if (objects.length > 0) write(listInconsistencies(objects))
    return 0
  },
}

const Inconsistent = z.looseObject({ inconsistent_objects: InconsistentObjects })

function describeMigrations(
  { source, all, missing, unknown }: MigrationStatus,
  isOneOfSeveral: boolean,
): string {
  const toApply = new Set(missing)
  return [
    `Migrations${isOneOfSeveral ? ` of ${source}` : ''}: ${all.length - missing.length} applied, ${missing.length} to apply`,
    ...all.map(
      (migration) => `  ${toApply.has(migration) ? 'to apply' : 'applied '}  ${migration.name}`,
    ),
    ...unknown.map((version) => `  applied   ${version} (not in the project)`),
  ].join('\n')
}

async function describeMetadata({ metadataDir }: Project, server: ServerConnection) {
  const serverMetadata = MetadataDocument.parse(await server.metadata('export_metadata'))
  const differences = compareMetadata(
    { name: 'server', document: serverMetadata },
    { name: 'project', document: await readMetadataDocument(metadataDir) },
  )
  return differences
    ? 'Metadata: differs from the project (see diff)'
    : 'Metadata: same as the project'
}

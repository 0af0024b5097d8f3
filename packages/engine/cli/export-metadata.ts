import { MetadataDocument } from '../metadata-store/edit/metadata-document.ts'
import { metadataFiles } from '../project/metadata-files.ts'
import { readProject } from '../project/project.ts'
import { connectToServer } from '../project/server-connection.ts'
import { writeMetadataFolder } from '../project/write-metadata-folder.ts'
import {
  type CommandLineProgram,
  PROJECT_OPTIONS,
  projectOptions,
  SERVER_OPTIONS,
} from './command-line-program.ts'

/** `export`: writes a server's metadata into the project's metadata folder. */
export const exportMetadata: CommandLineProgram = {
  name: 'export',
  description: 'writes the metadata of a running server into the project',
  options: { ...PROJECT_OPTIONS, ...SERVER_OPTIONS },
  examples: ['export', 'export --endpoint http://localhost:8080'],
  async run(options, { variables, write }) {
    const project = await readProject(projectOptions(options), variables)
    const server = connectToServer(project)
    const document = MetadataDocument.parse(await server.metadata('export_metadata'))
    const { writtenFiles, removedFiles } = await writeMetadataFolder(
      project.metadataDir,
      metadataFiles(document),
    )
    write(`wrote ${writtenFiles} files to ${project.metadataDir}, removed ${removedFiles}`)
    return 0
  },
}

import { readMetadataDocument } from '../metadata/folder/read-metadata-folder.ts'
import { MetadataDocument } from '../metadata-store/edit/metadata-document.ts'
import { compareMetadata } from '../project/compare-metadata.ts'
import { readProject } from '../project/project.ts'
import { connectToServer } from '../project/server-connection.ts'
import {
  type CommandLineProgram,
  PROJECT_OPTIONS,
  projectOptions,
  SERVER_OPTIONS,
} from './command-line-program.ts'

/** `diff`: shows what `apply` would change in the metadata. */
export const diff: CommandLineProgram = {
  name: 'diff',
  description: 'shows what apply would change in the metadata of a running server',
  options: {
    ...PROJECT_OPTIONS,
    ...SERVER_OPTIONS,
    'exit-code': { about: 'exits with code 1 if anything differs' },
  },
  examples: ['diff', 'diff --exit-code'],
  async run(options, { variables, write }) {
    const project = await readProject(projectOptions(options), variables)
    const server = connectToServer(project)
    const [document, serverMetadata] = await Promise.all([
      readMetadataDocument(project.metadataDir),
      server.metadata('export_metadata').then((answer) => MetadataDocument.parse(answer)),
    ])
    const differences = compareMetadata(
      { name: 'server', document: serverMetadata },
      { name: 'project', document },
    )
    write(differences || "The server's metadata is the project's.")
    return differences && options['exit-code'] ? 1 : 0
  },
}

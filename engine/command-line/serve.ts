import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readProject } from '../project/project.ts'
import { runServer } from '../run-server.ts'
import {
  type CommandLineProgram,
  PROJECT_OPTIONS,
  projectOptions,
  textOption,
} from './command-line-program.ts'

/** `serve`: the engine alone, as Hasura's image runs: for containers. Its log is JSON. */
export const serve: CommandLineProgram = {
  name: 'serve',
  about:
    'serves as a container does: settings from HASURA_GRAPHQL_… variables, a log of JSON lines',
  options: PROJECT_OPTIONS,
  examples: ['serve', 'serve --project /app   # applies its migrations and metadata first'],
  async run(options, { variables }) {
    await runServer(await withProject(options, variables))
    // What is still open, such as connections of hooks, must not keep a container from ending.
    process.exit(0)
  },
}

/** A project gives the folders of migrations and metadata; variables that name others win. */
async function withProject(
  options: Parameters<CommandLineProgram['run']>[0],
  variables: Readonly<Record<string, string | undefined>>,
) {
  const named = textOption(options, 'project')
  if (named === undefined && !existsSync(join(resolve('.'), 'config.yaml'))) return variables
  const { environment, metadataDir, migrationsDir } = await readProject(
    projectOptions(options),
    variables,
  )
  return {
    HASURA_GRAPHQL_METADATA_DIR: metadataDir,
    HASURA_GRAPHQL_MIGRATIONS_DIR: migrationsDir,
    ...environment,
  }
}

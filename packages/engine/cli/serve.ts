import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { explainStartFailure } from '../project/explain-start-failure.ts'
import { readProject } from '../project/project.ts'
import { runServer } from '../server/serve-engine.ts'
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
    const environment = await withProject(options, variables)
    await runServer(environment).catch((error: unknown) => {
      throw explainStartFailure(error, REMEDIES)
    })
    // What is still open, such as connections of hooks, must not keep a container from ending.
    process.exit(0)
  },
}

const REMEDIES = {
  database:
    'Its address is that of HASURA_GRAPHQL_DATABASE_URL, of HASURA_GRAPHQL_METADATA_DATABASE_URL, or of the variable that the source takes it from.',
  address:
    'Another port is chosen by HASURA_GRAPHQL_SERVER_PORT, another address by HASURA_GRAPHQL_SERVER_HOST.',
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

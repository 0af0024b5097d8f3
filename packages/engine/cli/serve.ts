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

/** `serve`: runs only the engine, like Hasura's image, for containers. Logs JSON. */
export const serve: CommandLineProgram = {
  name: 'serve',
  description:
    "serves like Hasura's image: settings from HASURA_GRAPHQL_… variables, a log of JSON lines",
  options: PROJECT_OPTIONS,
  examples: ['serve', 'serve --project /app   # applies its migrations and metadata first'],
  async run(options, { variables }) {
    const environment = await withProject(options, variables)
    await runServer(environment).catch((error: unknown) => {
      throw explainStartFailure(error, REMEDIES)
    })
    // Open connections, for example to webhooks, must not keep the container alive.
    process.exit(0)
  },
}

const REMEDIES = {
  database:
    "Check HASURA_GRAPHQL_DATABASE_URL, HASURA_GRAPHQL_METADATA_DATABASE_URL, or the variable of the source's address.",
  address:
    'Choose another port with HASURA_GRAPHQL_SERVER_PORT, or another address with HASURA_GRAPHQL_SERVER_HOST.',
}

/** Adds variables with the project's folders of migrations and metadata. If a variable already names another folder, it wins. */
async function withProject(
  options: Parameters<CommandLineProgram['run']>[0],
  variables: Readonly<Record<string, string | undefined>>,
) {
  const folder = textOption(options, 'project')
  if (folder === undefined && !existsSync(join(resolve('.'), 'config.yaml'))) return variables
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

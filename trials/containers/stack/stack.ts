import { z } from 'zod'
import { documentedCommands } from '../documented-commands.ts'
import { mustRun } from '../programs.ts'
import type { EnvFile } from './settings.ts'

const Container = z.object({
  ID: z.string(),
  Service: z.string(),
  State: z.string(),
  Health: z.string(),
  Image: z.string(),
})

export type Container = z.infer<typeof Container>

/** The containers of docker-compose.yml, which the steps control only by Docker Compose, as an operator does. */
export type Stack = {
  envFile: EnvFile
  /** The environment of every command. */
  env: NodeJS.ProcessEnv
  /** Sets the compose files for the next commands. */
  useFiles(files: readonly string[]): void
  compose(...words: string[]): Promise<string>
  /** Runs commands of a documentation page unchanged, with these variables. */
  asDocumented(page: string, name: string, variables?: Record<string, string>): Promise<string>
  /** Runs SQL as the database's superuser. @returns one line for each row, with `|` between the columns */
  sql(statements: string): Promise<string>
  containers(service?: string): Promise<Container[]>
}

/** Creates a stack with a separate project name, so that other stacks on the same engine are not affected. */
export function openStack(env: NodeJS.ProcessEnv, envFile: EnvFile, project: string): Stack {
  const stackEnv: NodeJS.ProcessEnv = {
    ...env,
    COMPOSE_PROJECT_NAME: project,
    COMPOSE_ENV_FILES: envFile.path,
    COMPOSE_PROGRESS: 'quiet',
  }
  const compose = (...words: string[]) =>
    mustRun(['docker', 'compose', ...words], { env: stackEnv })
  const psql = ['psql', '--username', 'postgres', '--tuples-only', '--no-align', '--quiet']
  return {
    envFile,
    env: stackEnv,
    useFiles(files) {
      stackEnv.COMPOSE_FILE = files.join(':')
    },
    compose,
    asDocumented: (page, name, variables = {}) =>
      mustRun(['bash', '-euo', 'pipefail', '-c', documentedCommands(page, name)], {
        env: { ...stackEnv, ...variables },
      }),
    sql: (statements) =>
      mustRun(
        ['docker', 'compose', 'exec', '--no-TTY', 'postgres', ...psql, '--set', 'ON_ERROR_STOP=1'],
        { env: stackEnv, input: statements },
      ),
    async containers(service) {
      const words = ['ps', '--all', '--format', 'json', ...(service ? [service] : [])]
      const lines = (await compose(...words)).split('\n').filter(Boolean)
      return lines.map((line) => Container.parse(JSON.parse(line)))
    },
  }
}

import { z } from 'zod'
import { documentedCommands } from '../documented-commands.ts'
import { mustRun } from '../programs.ts'
import type { EnvFile } from './settings.ts'

/** One container of the stack. */
const Container = z.object({
  ID: z.string(),
  Service: z.string(),
  State: z.string(),
  Health: z.string(),
  Image: z.string(),
})

export type Container = z.infer<typeof Container>

/** The services that docker-compose.yml describes, as an operator handles them: by Docker Compose, and by nothing else. */
export type Stack = {
  envFile: EnvFile
  /** The environment of every command. */
  env: NodeJS.ProcessEnv
  /** The files that describe it, from now on. */
  useFiles(files: readonly string[]): void
  compose(...words: string[]): Promise<string>
  /** Runs commands of the documentation as they stand there, with these variables. */
  asDocumented(page: string, name: string, variables?: Record<string, string>): Promise<string>
  /** Runs SQL as the database's superuser. @returns its rows, a line each, with `|` between columns */
  sql(statements: string): Promise<string>
  containers(service?: string): Promise<Container[]>
}

/** A stack with a name of its own, so that others on the same engine stay as they are. */
export function openStack(env: NodeJS.ProcessEnv, envFile: EnvFile, project: string): Stack {
  const own: NodeJS.ProcessEnv = {
    ...env,
    COMPOSE_PROJECT_NAME: project,
    COMPOSE_ENV_FILES: envFile.path,
    COMPOSE_PROGRESS: 'quiet',
  }
  const compose = (...words: string[]) => mustRun(['docker', 'compose', ...words], { env: own })
  const psql = ['psql', '--username', 'postgres', '--tuples-only', '--no-align', '--quiet']
  return {
    envFile,
    env: own,
    useFiles(files) {
      own.COMPOSE_FILE = files.join(':')
    },
    compose,
    asDocumented: (page, name, variables = {}) =>
      mustRun(['bash', '-euo', 'pipefail', '-c', documentedCommands(page, name)], {
        env: { ...own, ...variables },
      }),
    sql: (statements) =>
      mustRun(
        ['docker', 'compose', 'exec', '--no-TTY', 'postgres', ...psql, '--set', 'ON_ERROR_STOP=1'],
        { env: own, input: statements },
      ),
    async containers(service) {
      const words = ['ps', '--all', '--format', 'json', ...(service ? [service] : [])]
      const lines = (await compose(...words)).split('\n').filter(Boolean)
      return lines.map((line) => Container.parse(JSON.parse(line)))
    },
  }
}

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { readYaml } from '../metadata/folder/yaml.ts'

/** The settings of a project of Hasura's command line (config v3). */
export type Project = {
  /** The folder that has config.yaml. */
  folder: string
  metadataDir: string
  migrationsDir: string
  seedsDir: string
  /** The server for `apply`, `export`, `status` and `diff`. */
  endpoint: string
  adminSecret: string | undefined
  /** The variables that `{{NAME}}` and `from_env` in the metadata may name. The process's variables win over `.env`. */
  environment: Readonly<Record<string, string | undefined>>
}

/** The command's options, which win over all other settings. */
export type ProjectOptions = {
  /** The folder of the project; default: the current folder. */
  project?: string | undefined
  /** The file with variables, relative to the project's folder; default: `.env`. */
  envfile?: string | undefined
  endpoint?: string | undefined
  'admin-secret'?: string | undefined
}

/** The error for a missing project or unreadable settings. Its message says what to do. */
class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/**
 * Reads a project's settings in the order of Hasura's command line: options, variables of the process, `.env`, `config.yaml`,
 * defaults. The first that has a setting wins.
 *
 * @param variables the variables of the process
 * @throws ProjectError
 */
export async function readProject(
  options: ProjectOptions,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Project> {
  const folder = resolve(options.project ?? variables.HASURA_GRAPHQL_PROJECT ?? '.')
  const config = await readConfigFile(folder)
  const environment = { ...(await readEnvFile(folder, options.envfile)), ...variables }
  const directory = (variable: string, configured: string) =>
    join(folder, environment[variable] || configured)
  return {
    folder,
    metadataDir: directory('HASURA_GRAPHQL_METADATA_DIRECTORY', config.metadata_directory),
    migrationsDir: directory('HASURA_GRAPHQL_MIGRATIONS_DIRECTORY', config.migrations_directory),
    seedsDir: directory('HASURA_GRAPHQL_SEEDS_DIRECTORY', config.seeds_directory),
    endpoint: withoutSlash(
      options.endpoint ?? (environment.HASURA_GRAPHQL_ENDPOINT || config.endpoint),
    ),
    adminSecret:
      options['admin-secret'] ??
      (environment.HASURA_GRAPHQL_ADMIN_SECRET ||
        config.admin_secret ||
        environment.HASURA_GRAPHQL_ACCESS_KEY ||
        config.access_key),
    environment,
  }
}

/** The version of config.yaml. It is checked first, because older versions have other settings, and the oldest have no version. */
const Version = z.looseObject({ version: z.unknown() })

/**
 * Parses a text, or a number such as a secret without quotes. Like Hasura's command line, reads anything else, such as
 * `{from_env: NAME}`, as an empty text.
 */
function textSetting() {
  return z.union([z.string(), z.number()]).transform(String).catch('')
}

/** The part of config.yaml that this package uses. */
const ConfigFile = z.looseObject({
  /** Not checked here, because only commands that contact a server need an address. A project template may have `${ENDPOINT}`. */
  endpoint: textSetting().default('http://localhost:8080'),
  admin_secret: textSetting().optional(),
  /** The former name of `admin_secret`. */
  access_key: textSetting().optional(),
  metadata_directory: z.string().default('metadata'),
  migrations_directory: z.string().default('migrations'),
  seeds_directory: z.string().default('seeds'),
})

async function readConfigFile(folder: string) {
  const file = join(folder, 'config.yaml')
  if (!existsSync(file))
    throw new ProjectError(
      `${folder} has no config.yaml. Run this in the folder of a Hasura project, or pass --project FOLDER.`,
    )
  const content = parseYaml(file, await readFile(file, 'utf8'))
  const version = Version.safeParse(content).data?.version
  // Like Hasura's command line, accepts a number in quotes, and ignores decimals.
  if (Math.trunc(Number(version ?? NaN)) !== 3)
    throw new ProjectError(
      `${file}: version must be 3; ${version === undefined ? 'it is missing' : `got ${version}`}. Run "hasura scripts update-project-v3" of Hasura's command line to convert a project of version 2.`,
    )
  const config = ConfigFile.safeParse(content)
  if (config.success) return config.data
  throw new ProjectError(`${file}: ${z.prettifyError(config.error)}`)
}

function parseYaml(file: string, text: string): unknown {
  try {
    return readYaml(text) ?? {}
  } catch (cause) {
    throw new ProjectError(`${file}: ${cause instanceof Error ? cause.message : 'bad YAML'}`, {
      cause,
    })
  }
}

/** Reads the file with variables. A missing `--envfile` is an error, but a missing `.env` is not. */
async function readEnvFile(folder: string, envfile: string | undefined) {
  const file = join(folder, envfile ?? '.env')
  if (existsSync(file)) return parseEnv(await readFile(file, 'utf8'))
  if (envfile) throw new ProjectError(`${file} (--envfile) does not exist.`)
  return {}
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

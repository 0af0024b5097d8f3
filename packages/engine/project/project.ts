import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { readYaml } from '../metadata/folder/yaml.ts'

/** A project of Hasura's command line (config v3), and the settings that commands take from it. */
export type Project = {
  /** The folder that has config.yaml. */
  folder: string
  metadataDir: string
  migrationsDir: string
  seedsDir: string
  /** The server that `apply`, `export`, `status` and `diff` speak to. */
  endpoint: string
  adminSecret: string | undefined
  /** The variables of the process over those of `.env`: what `{{NAME}}` and `from_env` of the metadata may name. */
  environment: Readonly<Record<string, string | undefined>>
}

/** What the command's own options say; these win over everything else. */
export type ProjectOptions = {
  /** The folder of the project; the one that the command runs in, if absent. */
  project?: string | undefined
  /** The name of the file of variables; `.env`, if absent. */
  envfile?: string | undefined
  endpoint?: string | undefined
  'admin-secret'?: string | undefined
}

/** There is no project, or its settings cannot be read; the message says what to do. */
class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/**
 * Reads a project's settings, as Hasura's command line does: an option wins over a variable of the process, that over one
 * of `.env`, that over `config.yaml`, and that over the default.
 *
 * @param variables those of the process
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

/** A project of an older version has none, or writes other things beside it. */
const Version = z.looseObject({ version: z.unknown() })

/**
 * A text, or a number that stands for one, such as a secret without quotes. Anything else, such as `{from_env: NAME}`, counts as an empty
 * text, as in Hasura's command line.
 */
function textSetting() {
  return z.union([z.string(), z.number()]).transform(String).catch('')
}

/** The part of config.yaml that is read here; the rest is for other commands of Hasura's. */
const ConfigFile = z.looseObject({
  /** Only who speaks to a server needs an address: elsewhere it may be the place of one, such as `${ENDPOINT}`. */
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
      `${folder} has no config.yaml. Start this in the folder of a Hasura project, or name it by --project FOLDER.`,
    )
  const content = parseYaml(file, await readFile(file, 'utf8'))
  const version = Version.safeParse(content).data?.version
  // Hasura's command line reads a number in quotes, too, and leaves out what is behind the point.
  if (Math.trunc(Number(version ?? NaN)) !== 3)
    throw new ProjectError(
      `${file}: only projects of version 3 are read (${version === undefined ? 'there is no version' : `this is ${version}`}). "hasura scripts update-project-v3" of Hasura's command line turns one of version 2 into one.`,
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

/** Of a file that is named, and missing, somebody expects something; `.env` is there or not. */
async function readEnvFile(folder: string, named: string | undefined) {
  const file = join(folder, named ?? '.env')
  if (existsSync(file)) return parseEnv(await readFile(file, 'utf8'))
  if (named) throw new ProjectError(`${file} (--envfile) is missing`)
  return {}
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

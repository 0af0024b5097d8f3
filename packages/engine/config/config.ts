import { z } from 'zod'
import { settingVariable, settingVariables, withBothDatabases } from './setting.ts'
import { SETTINGS } from './settings.ts'

const Settings = z.object(SETTINGS)

export type Config = z.infer<typeof Settings> & {
  /**
   * The address of the database that stores the metadata. `sourceUrl` is the address of each source that has an address
   * neither in `sourceUrls` nor in the metadata.
   */
  databaseUrl: string
  /** The environment variables that the metadata may refer to, for example by `value_from_env` or `{{NAME}}`. */
  environment: Readonly<Record<string, string | undefined>>
}

/** The configuration is invalid; the message has a line for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Variables that count as set even if they are empty. If they counted as unset, the engine could be open to everyone by
 * mistake. An empty admin secret or access key is a secret, as in Hasura. Each of the other variables is rejected if it
 * is empty.
 */
const SET_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'HASURA_GRAPHQL_ACCESS_KEY',
  'HASURA_GRAPHQL_UNAUTHORIZED_ROLE',
  'HASURA_GRAPHQL_AUTH_HOOK',
  'HASURA_GRAPHQL_JWT_SECRET',
  'HASURA_GRAPHQL_JWT_SECRETS',
])

/**
 * Reads the settings from the environment. An empty variable counts as unset, except the variables in SET_WHEN_EMPTY.
 *
 * @throws ConfigError that lists every invalid setting; if there is none, every conflict between settings
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const variables = withBothDatabases(environment)
  const isSet = (name: string) =>
    SET_WHEN_EMPTY.has(name) ? variables[name] !== undefined : Boolean(variables[name])
  const names = new Map(
    Object.entries(Settings.shape).map(([key, schema]) => [
      key,
      settingVariables(schema).find(isSet) ?? settingVariable(schema),
    ]),
  )
  const values = [...names].map(([key, name]) => [key, isSet(name) ? variables[name] : undefined])
  const settings = Settings.safeParse(Object.fromEntries(values))
  if (!settings.success) {
    // Each schema of setting.ts has a message that follows the variable's name.
    const faults = settings.error.issues.map(
      ({ path, message }) => `${names.get(String(path[0]))} ${message}.`,
    )
    throw new ConfigError(faults.join('\n'))
  }
  const conflicts = CONFLICTS.filter(([applies]) => applies(settings.data)).map(([, text]) => text)
  if (conflicts.length > 0) throw new ConfigError(conflicts.join('\n'))
  const databaseUrl = settings.data.metadataDatabaseUrl ?? settings.data.sourceUrl
  return { ...settings.data, databaseUrl, environment }
}

/** The combinations of settings with which the engine does not start, each with the message. */
const CONFLICTS: readonly [(settings: z.infer<typeof Settings>) => boolean, string][] = [
  [
    (s) => s.jwtSecret !== null && s.jwtSecrets !== null,
    'HASURA_GRAPHQL_JWT_SECRET and HASURA_GRAPHQL_JWT_SECRETS are both set. Unset one of them.',
  ],
  [
    (s) => s.authHook !== null && (s.jwtSecret ?? s.jwtSecrets) !== null,
    'HASURA_GRAPHQL_AUTH_HOOK cannot be set together with HASURA_GRAPHQL_JWT_SECRET or HASURA_GRAPHQL_JWT_SECRETS. Unset the hook, or the tokens.',
  ],
  [
    (s) => s.authHook !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_AUTH_HOOK requires HASURA_GRAPHQL_ADMIN_SECRET. Set a secret.',
  ],
  [
    (s) => (s.jwtSecret ?? s.jwtSecrets) !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_JWT_SECRET and HASURA_GRAPHQL_JWT_SECRETS require HASURA_GRAPHQL_ADMIN_SECRET. Set a secret.',
  ],
  [
    (s) => s.unauthorizedRole !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE requires HASURA_GRAPHQL_ADMIN_SECRET. Set a secret.',
  ],
  [
    (s) => s.unauthorizedRole !== null && s.authHook !== null,
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE is not allowed together with HASURA_GRAPHQL_AUTH_HOOK. Unset the role; the hook can return it.',
  ],
  [
    (s) => s.maintenanceMode && (s.metadataDir ?? s.migrationsDir) !== null,
    'HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE: the engine applies no metadata and no migrations in maintenance mode. Unset HASURA_GRAPHQL_METADATA_DIR and HASURA_GRAPHQL_MIGRATIONS_DIR.',
  ],
]

/** The names of all variables that settings are read from. */
export const SETTING_VARIABLES: readonly string[] = Object.values(Settings.shape).flatMap(
  settingVariables,
)

import { z } from 'zod'
import { ownValue } from '../json/own-value.ts'

/**
 * Creates a setting that is read from an environment variable.
 *
 * @param formerName an older name of the variable, read if `variable` is not set
 */
export function fromVariable<T extends z.ZodType>(
  variable: string,
  schema: T,
  formerName?: string,
): T {
  return schema.meta({ variable, formerName })
}

/** Returns the names of the variables that a setting is read from; the first variable that is set counts. */
export function settingVariables(schema: z.ZodType): string[] {
  const formerName = schema.meta()?.formerName
  const variable = settingVariable(schema)
  return typeof formerName === 'string' ? [variable, formerName] : [variable]
}

/** Returns the name of the variable that a setting is read from. */
export function settingVariable(schema: z.ZodType): string {
  return String(schema.meta()?.variable)
}

const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  false: false,
  f: false,
  no: false,
  n: false,
}

/** Parses `true` and `false` in all spellings that Hasura accepts. */
export function booleanSetting() {
  return z.string().transform((text, context) => {
    const value = ownValue(BOOLEAN_WORDS, text.toLowerCase())
    if (value === undefined) context.addIssue(`must be true or false; got ${text}`)
    return value === true
  })
}

/** Parses a whole number from 0 to `maximum`. */
export function countSetting(maximum: number) {
  return z.coerce.number().int().min(0).max(maximum)
}

/** Parses a limit, a whole number from 0; without the variable, there is no limit. */
export function boundSetting(maximum = 2 ** 31 - 1) {
  return countSetting(maximum).default(Number.POSITIVE_INFINITY)
}

/** Parses a time limit in milliseconds; 0, or no variable, means no limit. */
export function timeLimitSetting() {
  return boundSetting().transform((ms) => ms || Number.POSITIVE_INFINITY)
}

/** Parses the address of a PostgreSQL database. */
export function databaseSetting() {
  return z.url({ protocol: /^postgres(ql)?$/ })
}

/** Parses a JSON object. */
export function objectSetting() {
  return jsonSetting(z.record(z.string(), z.unknown()))
}

/** Parses a JSON object that has the address of a database for each name of a source. */
export function databasesSetting() {
  return jsonSetting(z.record(z.string(), databaseSetting()))
}

function jsonSetting<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue('must be JSON')
        return z.NEVER
      }
    })
    .pipe(schema)
}

/** Parses one of `words`, in upper or lower case. */
export function wordSetting<const T extends readonly [string, ...string[]]>(words: T) {
  return z
    .string()
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.enum(words))
}

/** Parses a list of items separated by commas. */
export function listSetting<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
}

/** If only the address of the metadata database is set, uses this database as the source too, as Hasura does. */
export function withBothDatabases(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HASURA_GRAPHQL_DATABASE_URL, HASURA_GRAPHQL_METADATA_DATABASE_URL } = environment
  const source = HASURA_GRAPHQL_DATABASE_URL || HASURA_GRAPHQL_METADATA_DATABASE_URL
  return { ...environment, HASURA_GRAPHQL_DATABASE_URL: source }
}

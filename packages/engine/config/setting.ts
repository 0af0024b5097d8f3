import { z } from 'zod'
import { ownValue } from '../json/own-value.ts'

/**
 * A setting that is read from an environment variable.
 *
 * @param formerName an older name of the variable, which is read where the variable itself is not set
 */
export function fromVariable<T extends z.ZodType>(
  variable: string,
  schema: T,
  formerName?: string,
): T {
  return schema.meta({ variable, formerName })
}

/** The names of the variable that a setting is read from; the first one that is set counts. */
export function settingVariables(schema: z.ZodType): string[] {
  const formerName = schema.meta()?.formerName
  const variable = settingVariable(schema)
  return typeof formerName === 'string' ? [variable, formerName] : [variable]
}

/** The variable that a setting is read from. */
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

/** `true` or `false`, in the ways in which Hasura reads them. */
export function booleanSetting() {
  return z.string().transform((text, context) => {
    const value = ownValue(BOOLEAN_WORDS, text.toLowerCase())
    if (value === undefined) context.addIssue('neither true nor false')
    return value === true
  })
}

/** A whole number from zero. */
export function countSetting(maximum: number) {
  return z.coerce.number().int().min(0).max(maximum)
}

/** A bound: a whole number from zero; where the variable is not set, there is no bound. */
export function boundSetting(maximum = 2 ** 31 - 1) {
  return countSetting(maximum).default(Number.POSITIVE_INFINITY)
}

/** A time limit in milliseconds; 0, or no variable, is no limit. */
export function timeLimitSetting() {
  return boundSetting().transform((ms) => ms || Number.POSITIVE_INFINITY)
}

/** The address of a PostgreSQL database. */
export function databaseSetting() {
  return z.url({ protocol: /^postgres(ql)?$/ })
}

/** A JSON object. */
export function objectSetting() {
  return jsonSetting(z.record(z.string(), z.unknown()))
}

/** Addresses of databases by names, as a JSON object. */
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
        context.addIssue('no JSON')
        return z.NEVER
      }
    })
    .pipe(schema)
}

/** One of some words, in small or capital letters. */
export function wordSetting<const T extends readonly [string, ...string[]]>(words: T) {
  return z
    .string()
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.enum(words))
}

/** Items with commas between them. */
export function listSetting<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
}

/** As in Hasura, the address of the metadata's database is enough; it is then that of the source, too. */
export function withBothDatabases(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HASURA_GRAPHQL_DATABASE_URL, HASURA_GRAPHQL_METADATA_DATABASE_URL } = environment
  const source = HASURA_GRAPHQL_DATABASE_URL || HASURA_GRAPHQL_METADATA_DATABASE_URL
  return { ...environment, HASURA_GRAPHQL_DATABASE_URL: source }
}

import { z } from 'zod'
import { ownValue } from './json/own-value.ts'

/** A setting that is read from an environment variable. */
export function fromVariable<T extends z.ZodType>(variable: string, schema: T): T {
  return schema.meta({ variable })
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

/** The address of a PostgreSQL database. */
export function databaseSetting() {
  return z.url({ protocol: /^postgres(ql)?$/ })
}

/** Addresses of databases by names, as a JSON object. */
export function databasesSetting() {
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
    .pipe(z.record(z.string(), databaseSetting()))
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

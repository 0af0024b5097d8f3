import { z } from 'zod'
import { ownValue } from '../json/own-value.ts'

/**
 * Creates a setting that is read from an environment variable.
 *
 * @param meaning the setting's row in docs/settings.md: at most 25 words, without the default
 * @param formerName an older name of the variable, read if `variable` is not set
 */
export function fromVariable<T extends z.ZodType>(
  variable: string,
  meaning: string,
  schema: T,
  formerName?: string,
): T {
  return schema.meta({ variable, meaning, formerName })
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

/** Returns what a setting means, for the documentation. */
export function settingMeaning(schema: z.ZodType): string {
  return String(schema.meta()?.meaning)
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
  return parsedSetting('must be true or false', (text) =>
    ownValue(BOOLEAN_WORDS, text.toLowerCase()),
  )
}

/** Parses a whole number from 0 to `maximum`. */
export function countSetting(maximum: number) {
  return parsedSetting(`must be a whole number from 0 to ${maximum}`, (text) => {
    const value = WHOLE_NUMBER.test(text) ? Number(text) : Number.NaN
    return value <= maximum ? value : undefined
  })
}

const WHOLE_NUMBER = /^\s*\d+\s*$/

/** Parses a limit, a whole number from 0; without the variable, there is no limit. */
export function boundSetting(maximum = 2 ** 31 - 1) {
  return countSetting(maximum).default(Number.POSITIVE_INFINITY)
}

/** Parses a time limit in milliseconds; 0, or no variable, means no limit. */
export function timeLimitSetting() {
  return boundSetting().transform((ms) => ms || Number.POSITIVE_INFINITY)
}

/** Parses a part of a whole, from 0 to 1. */
export function shareSetting() {
  return parsedSetting('must be a number from 0 to 1', (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return value >= 0 && value <= 1 ? value : undefined
  })
}

/** Parses one of `words`, in upper or lower case. */
export function wordSetting<const W extends string>(words: readonly W[]) {
  return parsedSetting(`must be one of ${words.join(', ')}`, (text) => findWord(words, text))
}

/** Parses a list of some of `words`, separated by commas, in upper or lower case. */
export function wordListSetting<const W extends string>(words: readonly W[]) {
  const requirement = `must be a list of some of these words, separated by commas: ${words.join(', ')}`
  return parsedSetting(requirement, (text) => {
    const found = splitList(text).map((item) => findWord(words, item))
    return found.every((word) => word !== undefined) ? found : undefined
  })
}

function findWord<W extends string>(words: readonly W[], text: string): W | undefined {
  return words.find((word) => word.toLowerCase() === text.trim().toLowerCase())
}

/** Parses a list of texts, separated by commas. */
export function textListSetting() {
  return z.string().transform(splitList)
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}

/** Parses a text that must not be empty, because an empty one would have another meaning than no text. */
export function textSetting() {
  return z.string().min(1, { error: 'must not be empty; set a value, or unset the variable' })
}

/** Parses the address of a web server. The error does not quote the address, because it may contain a password. */
export function webAddressSetting() {
  return z.url({
    protocol: /^https?$/,
    error: 'must be an address that begins with http:// or https://',
  })
}

/** Parses the address of a PostgreSQL database. The error does not quote the address, because it contains the password. */
export function databaseSetting() {
  return z.url({
    protocol: /^postgres(ql)?$/,
    error: ({ input }) =>
      `${input === undefined ? 'is not set; it ' : ''}must be the address of a PostgreSQL database, such as ${EXAMPLE_DATABASE}`,
  })
}

const EXAMPLE_DATABASE = 'postgres://user:password@localhost:5432/name'

/** Parses a JSON object. The error does not quote the object, because it may contain secrets. */
export function objectSetting() {
  return jsonSetting(
    z.record(z.string(), z.unknown()),
    'must be a JSON object, such as {"inherited_roles":[]}',
  )
}

/** Parses a JSON object that has the address of a database for each name of a source. */
export function databasesSetting() {
  return jsonSetting(
    z.record(z.string(), databaseSetting()),
    `must be a JSON object with a PostgreSQL address for each source, such as {"default":"${EXAMPLE_DATABASE}"}`,
  )
}

function jsonSetting<T extends z.ZodType>(schema: T, requirement: string) {
  return z.string().transform((text, context): z.output<T> => {
    const parsed = schema.safeParse(jsonOrUndefined(text))
    if (parsed.success) return parsed.data
    context.addIssue(requirement)
    return z.NEVER
  })
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Creates the schema of a text that is not secret.
 *
 * @param requirement completes the sentence that begins with the variable's name
 * @param parse returns undefined for a wrong text
 */
function parsedSetting<T>(requirement: string, parse: (text: string) => T | undefined) {
  return z.string().transform((text, context): T => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue(`${requirement}; got ${quoteValue(text)}`)
    return z.NEVER
  })
}

/** Returns a wrong value for an error: in quotation marks if it has spaces, and cut if it is long. */
function quoteValue(text: string): string {
  const start = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
  return /^\S+$/.test(start) ? start : JSON.stringify(start)
}

const MAX_QUOTED = 100

/** If only the address of the metadata database is set, uses this database as the source too, as Hasura does. */
export function withBothDatabases(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HASURA_GRAPHQL_DATABASE_URL, HASURA_GRAPHQL_METADATA_DATABASE_URL } = environment
  const source = HASURA_GRAPHQL_DATABASE_URL || HASURA_GRAPHQL_METADATA_DATABASE_URL
  return { ...environment, HASURA_GRAPHQL_DATABASE_URL: source }
}

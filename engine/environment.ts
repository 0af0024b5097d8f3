import { EngineError } from './errors.ts'

/** Variables that the metadata may name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A header as the metadata states it: its value, or the variable that has it. */
export type ConfiguredHeader = {
  name: string
  value?: string | null | undefined
  value_from_env?: string | null | undefined
}

/** Puts variables of the environment in the place of `{{NAME}}`. */
export function fillIn(template: string, environment: Environment): string {
  return template.replaceAll(PLACE, (_all, name: string) => variable(name, environment))
}

/** The headers that the metadata configures for a webhook. */
export function configuredHeaders(
  headers: readonly ConfiguredHeader[],
  environment: Environment,
): Record<string, string> {
  const entries = headers.map(({ name, value, value_from_env }) => {
    const text = value_from_env == null ? (value ?? '') : variable(value_from_env, environment)
    return [name, fillIn(text, environment)] as const
  })
  return Object.fromEntries(entries)
}

/** Metadata with a variable that is not set is inconsistent, so this is for one that has gone since. */
function variable(name: string, environment: Environment): string {
  const value = environment[name]
  if (value !== undefined) return value
  throw new EngineError('not-found', `environment variable '${name}' not set`, { status: 400 })
}

/** The variables that templates and headers name and that are not set. */
export function missingVariables(
  templates: readonly string[],
  headers: readonly ConfiguredHeader[],
  environment: Environment,
): string[] {
  const texts = [...templates, ...headers.flatMap(({ value }) => value ?? [])]
  const inTexts = texts.flatMap((text) => [...text.matchAll(PLACE)].map(([, name = '']) => name))
  const named = headers.flatMap(({ value_from_env }) => value_from_env ?? [])
  return [...new Set([...inTexts, ...named])].filter((name) => environment[name] === undefined)
}

const PLACE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

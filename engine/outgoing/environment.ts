import { present } from '../../lib/present.ts'
import { EngineError } from '../errors.ts'

/** Environment variables that the metadata may refer to. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A header in the metadata: with its value, or with the name of the environment variable that contains it. */
export type ConfiguredHeader = {
  name: string
  value?: string | null | undefined
  value_from_env?: string | null | undefined
}

/** Replaces each `{{NAME}}` by the environment variable of that name. */
export function fillInVariables(template: string, environment: Environment): string {
  return template.replaceAll(VARIABLE_REFERENCE, (_all, name: string) =>
    environmentVariable(name, environment),
  )
}

/** The headers that the metadata configures for a webhook. */
export function configuredHeaders(
  headers: readonly ConfiguredHeader[],
  environment: Environment,
): Record<string, string> {
  const entries = headers.map(({ name, value, value_from_env }) => {
    const text =
      value_from_env == null ? (value ?? '') : environmentVariable(value_from_env, environment)
    return [name, fillInVariables(text, environment)] as const
  })
  return Object.fromEntries(entries)
}

/** The value of a variable, which is set: metadata that refers to others is inconsistent. */
function environmentVariable(name: string, environment: Environment): string {
  const value = environment[name]
  if (value !== undefined) return value
  throw new EngineError('not-found', `environment variable '${name}' not set`, { status: 400 })
}

/** The variables that templates and headers refer to but that are not set. */
export function missingVariables(
  templates: readonly string[],
  headers: readonly ConfiguredHeader[],
  environment: Environment,
): string[] {
  const texts = [...templates, ...headers.flatMap(({ value }) => value ?? [])]
  const inTexts = texts.flatMap((text) =>
    [...text.matchAll(VARIABLE_REFERENCE)].map(([, name]) =>
      present(name, 'the name of a variable'),
    ),
  )
  const named = headers.flatMap(({ value_from_env }) => value_from_env ?? [])
  return [...new Set([...inTexts, ...named])].filter((name) => environment[name] === undefined)
}

const VARIABLE_REFERENCE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

import { present } from '../../../lib/runtime/present.ts'
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

/** The value of a variable. Most metadata that refers to one that is not set is inconsistent; a header of an action may. */
function environmentVariable(name: string, environment: Environment): string {
  const value = environment[name]
  if (value !== undefined) return value
  throw new EngineError('not-found', `environment variable '${name}' not set`, { status: 400 })
}

/** The variables that templates refer to but that are not set. */
export function missingVariables(templates: readonly string[], environment: Environment): string[] {
  const named = templates.flatMap((text) =>
    [...text.matchAll(VARIABLE_REFERENCE)].map(([, name]) =>
      present(name, 'the name of a variable'),
    ),
  )
  return [...new Set(named)].filter((name) => environment[name] === undefined)
}

/** A webhook in the metadata: its address as a template, or the variable that has it, and its headers. */
type ConfiguredWebhook = {
  address?: string | null | undefined
  fromEnv?: string | null | undefined
  headers: readonly ConfiguredHeader[]
}

/** Which variables of a webhook are not set, in Hasura's words; null if all are. */
export function missingVariablesMessage(
  { address, fromEnv, headers }: ConfiguredWebhook,
  environment: Environment,
): string | null {
  const texts = [address, ...headers.map(({ value }) => value)].flatMap((text) => text ?? [])
  const inTexts = missingVariables(texts, environment)
  if (inTexts.length > 0) return `Value for environment variables not found: ${inTexts.join(', ')}`
  const named = [fromEnv, ...headers.map(({ value_from_env }) => value_from_env)]
  const missing = named.find((name) => name != null && environment[name] === undefined)
  return missing == null ? null : `environment variable '${missing}' not set`
}

const VARIABLE_REFERENCE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

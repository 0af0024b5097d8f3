import { requireValue } from '../../../lib/runtime/require-value.ts'
import { EngineError } from '../errors.ts'

/** Environment variables that the metadata may refer to. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A header in the metadata, with its value or the name of the environment variable that contains it. */
export type ConfiguredHeader = {
  name: string
  value?: string | null | undefined
  value_from_env?: string | null | undefined
}

/** Replaces each `{{NAME}}` by the environment variable with this name. */
export function fillInVariables(template: string, environment: Environment): string {
  return template.replaceAll(VARIABLE_REFERENCE, (_all, name: string) =>
    environmentVariable(name, environment),
  )
}

/** Returns the headers that the metadata configures for a webhook. */
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

/**
 * Returns the value of a variable.
 *
 * @throws not-found if the variable is unset. This happens mostly in headers of actions, because most other objects with an unset
 *   variable are inconsistent, and not served.
 */
function environmentVariable(name: string, environment: Environment): string {
  const value = environment[name]
  if (value !== undefined) return value
  throw new EngineError('not-found', `environment variable '${name}' not set`, { status: 400 })
}

/** Returns the unset variables in templates. */
export function missingVariables(templates: readonly string[], environment: Environment): string[] {
  const names = templates.flatMap((text) =>
    [...text.matchAll(VARIABLE_REFERENCE)].map(([, name]) =>
      requireValue(name, 'the name of a variable'),
    ),
  )
  return [...new Set(names)].filter((name) => environment[name] === undefined)
}

/** A webhook in the metadata: its address as a template, or the variable with its address, and its headers. */
type ConfiguredWebhook = {
  address?: string | null | undefined
  fromEnv?: string | null | undefined
  headers: readonly ConfiguredHeader[]
}

/** Returns Hasura's message about unset variables of a webhook; null if all are set. */
export function missingVariablesMessage(
  { address, fromEnv, headers }: ConfiguredWebhook,
  environment: Environment,
): string | null {
  const texts = [address, ...headers.map(({ value }) => value)].flatMap((text) => text ?? [])
  const inTexts = missingVariables(texts, environment)
  if (inTexts.length > 0) return `Value for environment variables not found: ${inTexts.join(', ')}`
  const names = [fromEnv, ...headers.map(({ value_from_env }) => value_from_env)]
  const missing = names.find((name) => name != null && environment[name] === undefined)
  return missing == null ? null : `environment variable '${missing}' not set`
}

const VARIABLE_REFERENCE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

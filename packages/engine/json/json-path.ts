import { requireValue } from '../../../lib/runtime/require-value.ts'
import { EngineError } from '../errors.ts'

/**
 * Reads the subset of JSONPath that Hasura accepts in a column's argument and in the paths of JWT claims: `$.a.b`,
 * `a[0]`, `['x y']`, `["x"]`.
 *
 * @returns the keys for PostgreSQL's operator `#>`
 * @throws validation-failed
 */
export function parseJsonPath(text: string, path: string): string[] {
  if (text === '$') return []
  const steps = text.replace(/^\$/, '')
  const keys = [...steps.matchAll(STEP)].map(([, name, index, single, double]) => {
    return requireValue(name ?? index ?? single ?? double, 'the key of a step')
  })
  if (keys.length === 0 || steps.replace(STEP, '') !== '')
    throw new EngineError('validation-failed', `parse json path error: ${text}. ${HINT}`, { path })
  return keys
}

const HINT =
  'Accept letters, digits, underscore (_) or hyphen (-) only. Use quotes enclosed in bracket (["..."]) if there is any special character'

const STEP = /\.?(?:([\p{L}_][\p{L}\p{Nd}_-]*)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\])/gu

import { EngineError } from '../errors.ts'

/**
 * Reads the small part of JSONPath that column arguments take: `$.a.b`, `a[0]`, `['x y']`, `["x"]`.
 *
 * @returns the keys, as Postgres' `#>` takes them
 * @throws validation-failed
 */
export function jsonPath(text: string, path: string): string[] {
  const rest = text.replace(/^\$/, '')
  const keys: string[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < rest.length) {
    const start = STEP.lastIndex
    const match = STEP.exec(rest)
    const [all = '', name, index, single, double] = match ?? []
    const key = name ?? index ?? single ?? double
    if (key === undefined || all === '' || match?.index !== start)
      throw new EngineError('validation-failed', `parse json path error: "${text}"`, { path })
    keys.push(key)
  }
  return keys
}

const STEP = /\.?(?:([^.[\]'"\s]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\])/gy

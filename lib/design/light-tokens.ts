import { readFileSync } from 'node:fs'

const sheet = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

/** The light values by their names: a token has two sides, or else one. */
const VALUES = new Map(
  [...sheet.matchAll(/--([\w-]+): (?:light-dark\(([^,]+), [^)]+\)|([^;]+));/g)].map(
    ([, name = '', light, only]) => [name, light ?? only],
  ),
)

/** The value of a token in the light, for what knows no variables of CSS, as mails do. */
export function lightToken(name: string): string {
  const value = VALUES.get(name)
  if (value === undefined) throw new Error(`There is no token ${name}.`)
  return value
}

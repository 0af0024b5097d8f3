import { readFileSync } from 'node:fs'

const sheet = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

/** The light value of each token, by name. A token has a light and a dark value, or one value for both modes. */
const VALUES = new Map(
  [...sheet.matchAll(/--([\w-]+): (?:light-dark\(([^,]+), [^)]+\)|([^;]+));/g)].map(
    ([, name = '', light, only]) => [name, light ?? only],
  ),
)

/** Returns the light value of a token, for mails, which cannot use CSS variables. */
export function lightToken(name: string): string {
  const value = VALUES.get(name)
  if (value === undefined) throw new Error(`tokens.css has no token ${name}.`)
  return value
}

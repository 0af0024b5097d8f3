import { readFileSync } from 'node:fs'
import { present } from '../runtime/present.ts'

const sheet = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

/** The light values by their names: a token has two sides, or else one. */
const VALUES = new Map(
  [...sheet.matchAll(/--([\w-]+): (?:light-dark\(([^,]+), [^)]+\)|([^;]+));/g)].map(
    ([, name = '', light, only]) => [name, light ?? only],
  ),
)

/** The value of a token in the light, for what knows no variables of CSS, as mails do. */
export function lightToken(name: string): string {
  return present(VALUES.get(name), `the token ${name}`)
}

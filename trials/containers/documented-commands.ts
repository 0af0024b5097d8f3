import { readFileSync } from 'node:fs'
import { requireValue } from '../../lib/runtime/require-value.ts'

/**
 * The commands of a page in Markdown under a name: the block that begins with ```` ```sh name ````. They are run as they stand
 * there, so that a run shows whether the page is right.
 *
 * @throws Error when the page has no such block
 */
export function documentedCommands(page: string, name: string): string {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```sh (\S+)\n(.*?)^```$/gms)
  const found = new Map([...blocks].map(([, title, commands]) => [title, commands]))
  return requireValue(found.get(name), `the commands "${name}" of ${page}`)
}

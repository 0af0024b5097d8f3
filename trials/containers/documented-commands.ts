import { readFileSync } from 'node:fs'
import { requireValue } from '../../lib/runtime/require-value.ts'

/**
 * Returns the commands of the block ```` ```sh name ```` on a Markdown page. A run executes them unchanged, so it shows whether the page
 * is correct.
 *
 * @throws Error if the page has no such block
 */
export function documentedCommands(page: string, name: string): string {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```sh (\S+)\n(.*?)^```$/gms)
  const commandsByName = new Map([...blocks].map(([, title, commands]) => [title, commands]))
  return requireValue(commandsByName.get(name), `the commands "${name}" of ${page}`)
}

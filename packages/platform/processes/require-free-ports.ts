import { requireValue } from '../../../lib/runtime/require-value.ts'
import { formatCommandLine } from '../../../local/process/format-command-line.ts'
import { waitUntilFree } from '../../../local/process/free-port.ts'
import { nameOfPort } from '../settings/port-option.ts'

/**
 * Makes sure that every port is free.
 *
 * @param ports the ports by the names of their variables
 * @throws Error that names all ports in use and says how to choose others
 */
export async function requireFreePorts(ports: Record<string, number>): Promise<void> {
  const names = Object.keys(ports)
  const isFree = await Promise.all(Object.values(ports).map(waitUntilFree))
  const usedNames = names.filter((_, i) => !isFree[i])
  if (usedNames.length === 0) return
  const list = usedNames.map((name) => `port ${ports[name]} (${name})`).join(', ')
  const portOf = (name: string) => requireValue(ports[name], 'the port of a name')
  const example =
    usedNames.length > 3
      ? portOf(requireValue(names[0], 'the first port')) + 1_000
      : usedNames.map((name) => `${nameOfPort(name)}=${portOf(name) + 100}`).join()
  throw new Error(
    `In use: ${list}. Stop the program that listens there (another platform?), or choose other ports: ${formatCommandLine('start', `--ports ${example}`)}`,
  )
}

import { present } from '../../../lib/runtime/present.ts'
import { becomesFree } from '../../../local/process/free-port.ts'
import { ownCommand } from '../../../local/process/own-command.ts'
import { nameOfPort } from '../settings/port-option.ts'

/**
 * Makes sure that every port can be listened on before anything is started.
 *
 * @param ports by the name of the variable that sets each
 * @throws Error naming all that are in use, and how to choose others
 */
export async function requireFreePorts(ports: Record<string, number>): Promise<void> {
  const names = Object.keys(ports)
  const free = await Promise.all(Object.values(ports).map(becomesFree))
  const taken = names.filter((_, i) => !free[i])
  if (taken.length === 0) return
  const list = taken.map((name) => `port ${ports[name]} (${name})`).join(', ')
  const portOf = (name: string) => present(ports[name], 'the port of a name')
  const example =
    taken.length > 3
      ? portOf(present(names[0], 'the first port')) + 1_000
      : taken.map((name) => `${nameOfPort(name)}=${portOf(name) + 100}`).join()
  throw new Error(
    `In use: ${list}. End the program that listens there (another platform?), or choose other ports: ${ownCommand('start', `--ports ${example}`)}`,
  )
}

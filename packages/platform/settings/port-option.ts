import { WrongUsage } from '../../../local/process/command-line.ts'
import { readSettings } from './settings.ts'

/** Every port by its name for `--ports`, in the order in which a first port numbers them. */
const PORTS = Object.entries(readSettings({}).ports).map(([variable, port]) => ({
  name: nameOfPort(variable),
  variable,
  port,
}))

/** The name for `--ports` of the port that a variable sets: `mail-page` for MAIL_PAGE_PORT. */
export function nameOfPort(variable: string): string {
  return variable.replace('_PORT', '').toLowerCase().replaceAll('_', '-')
}

/** Every port for the help, with its default. */
export const PORT_NAMES = PORTS.map(({ name, port }) => `${name}=${port}`)

/** How many ports there are from the first one on. */
export const PORT_COUNT = PORTS.length

/**
 * The variables that `--ports` stands for. `4000` numbers all ports from there on; `postgres=5555` sets one; what is after a
 * comma counts more than what is before it.
 *
 * @throws WrongUsage
 */
export function portVariables(text: string): Record<string, string> {
  return Object.assign({}, ...text.split(',').map((part) => variablesOfPart(part.trim())))
}

function variablesOfPart(part: string): Record<string, string> {
  if (/^\d+$/.test(part)) return countedFrom(Number(part))
  const [, name, digits] = /^([a-z-]+)=(\d+)$/.exec(part) ?? []
  const known = PORTS.find((each) => each.name === name)
  if (!known || digits === undefined)
    throw new WrongUsage(
      `--ports takes a first port, or name=port, not "${part}". The names: ${PORTS.map((each) => each.name).join(', ')}.`,
    )
  return { [known.variable]: checkedPort(Number(digits)) }
}

function countedFrom(first: number): Record<string, string> {
  return Object.fromEntries(
    PORTS.map(({ variable }, index) => [variable, checkedPort(first + index)]),
  )
}

function checkedPort(port: number): string {
  if (port < 1 || port > 65_535)
    throw new WrongUsage(
      `A port is from 1 to 65535, unlike ${port}; --ports 4000 takes ${PORTS.length} of them.`,
    )
  return String(port)
}

import { WrongUsage } from '../../../local/process/command-line.ts'
import { readSettings } from './settings.ts'

/** Every port with its name in `--ports`. If `--ports` is a first port, the ports are numbered in this order. */
const PORTS = Object.entries(readSettings({}).ports).map(([variable, port]) => ({
  name: nameOfPort(variable),
  variable,
  port,
}))

/** Returns the name for `--ports` of a port's variable: `mail-page` for MAIL_PAGE_PORT. */
export function nameOfPort(variable: string): string {
  return variable.replace('_PORT', '').toLowerCase().replaceAll('_', '-')
}

/** The names and defaults of all ports, for the help. */
export const PORT_NAMES = PORTS.map(({ name, port }) => `${name}=${port}`)

export const PORT_COUNT = PORTS.length

/**
 * Converts `--ports` to variables. `4000` numbers all ports from 4000 on; `postgres=5555` sets one port; a later part overrides
 * an earlier part.
 *
 * @throws WrongUsage
 */
export function portVariables(text: string): Record<string, string> {
  return Object.assign({}, ...text.split(',').map((part) => variablesOfPart(part.trim())))
}

function variablesOfPart(part: string): Record<string, string> {
  if (/^\d+$/.test(part)) return numberPortsFrom(Number(part))
  const [, name, digits] = /^([a-z-]+)=(\d+)$/.exec(part) ?? []
  const port = PORTS.find((candidate) => candidate.name === name)
  if (!port || digits === undefined)
    throw new WrongUsage(
      `--ports must be a first port or name=port; got "${part}". Names: ${PORTS.map((candidate) => candidate.name).join(', ')}.`,
    )
  return { [port.variable]: checkPort(Number(digits)) }
}

function numberPortsFrom(first: number): Record<string, string> {
  return Object.fromEntries(
    PORTS.map(({ variable }, index) => [variable, checkPort(first + index)]),
  )
}

function checkPort(port: number): string {
  if (port < 1 || port > 65_535)
    throw new WrongUsage(
      `Ports must be 1 to 65535; got ${port}. A first port, as in --ports 4000, uses ${PORTS.length} ports.`,
    )
  return String(port)
}

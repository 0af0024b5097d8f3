import type { Config } from '../../config/config.ts'
import type { Session } from '../../session/session.ts'

/**
 * Names the caller whose share of the engine's work a session takes; null for those with the admin secret, who have no
 * bounds. Sessions with the same values of `callerVariables` are one caller, or with the same variables if it has none
 * of these. Without credentials a client chooses its variables, so all such clients of a role are one caller.
 */
export function callerOf(
  { role, variables, restsOn }: Session,
  { callerVariables }: Pick<Config, 'callerVariables'>,
): string | null {
  if (restsOn === 'secret') return null
  if (restsOn === 'nothing') return role
  const named = callerVariables.filter((name) => variables.has(name))
  const identifying = named.length > 0 ? named : [...variables.keys()].sort()
  return JSON.stringify(identifying.map((name) => [name, variables.get(name)]))
}

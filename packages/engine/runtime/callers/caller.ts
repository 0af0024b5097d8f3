import type { Config } from '../../config/config.ts'
import type { Session } from '../../session/session.ts'

/**
 * Returns the key of a session's caller; null for the admin secret, because limits of callers do not apply to it. Sessions with
 * the same values of `callerVariables` are the same caller. If a session has none of these variables, all its variables count.
 * Without credentials a client can choose its variables, so all clients of a role without credentials are the same caller.
 */
export function callerOf(
  { role, variables, basis }: Session,
  { callerVariables }: Pick<Config, 'callerVariables'>,
): string | null {
  if (basis === 'secret') return null
  if (basis === 'nothing') return role
  const chosenNames = callerVariables.filter((name) => variables.has(name))
  const names = chosenNames.length > 0 ? chosenNames : [...variables.keys()].sort()
  return JSON.stringify(names.map((name) => [name, variables.get(name)]))
}

import { Inconsistent } from './inconsistency.ts'

/**
 * Refuses something for all that is wrong with it at once, as Hasura does.
 *
 * @param what for example `the function "f" cannot be tracked`
 * @throws Inconsistent unless there are no reasons
 */
export function refuseFor(what: string, reasons: readonly string[]): void {
  const [only, ...more] = reasons
  if (only === undefined) return
  if (more.length === 0) throw new Inconsistent(`${what} because ${only}`)
  const list = reasons.map((reason) => `  • ${reason}\n`).join('')
  throw new Inconsistent(`${what} for the following reasons:\n${list}`)
}

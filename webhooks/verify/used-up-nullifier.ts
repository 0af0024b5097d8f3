import { z } from 'zod'

/**
 * Whether a nullifier is used up: its person has done the action as often as is allowed.
 *
 * Only for refusing early, before the work of checking a proof. The limit itself is enforced by the statement
 * that records a verification: `verification.record` returns no row for a nullifier that is used up.
 *
 * @param maxVerifications 0 means any number of times
 * @param uses how often the person has verified for the action so far
 */
export function isUsedUp(maxVerifications: number, uses: number): boolean {
  return maxVerifications > 0 && uses >= maxVerifications
}

/** Only the count that is asked for is parsed: in a gathered call there are those of many people. */
const Uses = z.custom<Readonly<Record<string, unknown>>>((value) => Object(value) === value)
const Count = z.int().default(0)

/**
 * How often a person has done an action.
 *
 * @param action with its computed field `uses`, which leaves out who never did it
 * @param nullifierHash canonical
 */
export function usesOf({ uses }: { uses?: unknown }, nullifierHash: string): number {
  return Count.parse(Uses.parse(uses)[nullifierHash])
}

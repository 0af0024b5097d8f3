import type { ActionLine, PersonLine } from './file-lines.ts'

/** The uses of a person whose line has none: one, or as many as the action's limit allows. */
export type MissingUses = '1' | 'limit'

/** Returns the uses of a person, or a text that says what is wrong. */
export function usesOf(
  person: PersonLine,
  action: ActionLine,
  missingUses: MissingUses | undefined,
): number | string {
  const limit = limitOf(action)
  if (person.uses !== undefined)
    return limit === 0 || person.uses <= limit
      ? person.uses
      : `uses is ${person.uses}, above max_verifications ${limit} of the action "${action.action}"`
  if (limit <= 1 || missingUses === '1') return 1
  return missingUses === 'limit'
    ? limit
    : `the line has no uses, and the action "${action.action}" allows ${limit}: pass --missing-uses 1 or --missing-uses limit`
}

/** Returns the limit of an action; 0 means unlimited. The sign-in action is always unlimited here. */
export function limitOf({ action, max_verifications }: ActionLine): number {
  return action === '' ? 0 : max_verifications
}

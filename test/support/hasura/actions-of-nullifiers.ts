import { expect } from 'vitest'
import type { Scan } from './explaining-postgres.ts'

/**
 * The ways in which an operation accesses actions when it reads or counts their nullifiers:
 *
 * - `at most one`: selects an action by a constant or a parameter, so all rows are on one shard of a distributed database
 * - `one after another`: selects one action in each statement, but several in a transaction, which then needs several shards
 * - `row by row`: looks up the action of each row of another table, so a statement may need any shard
 * - `anywhere`: selects several actions at once, or no action
 */
type ActionAccess = 'at most one' | 'one after another' | 'row by row' | 'anywhere'

/**
 * The operations that may access several actions, with the reason. Every other operation accesses
 * at most one.
 */
const SEVERAL: Record<string, { access: ActionAccess; reason: string; isPlannersChoice?: true }> = {
  'lib/verification/record/record-nullifiers.graphql': {
    access: 'one after another',
    reason: 'counts people of several actions in one commit',
  },
  'lib/verification/record/record-requests.graphql': {
    access: 'one after another',
    reason: 'counts people of several actions in one commit, for requests with an idempotency key',
  },
  'webhooks/verify/verify.graphql': {
    access: 'one after another',
    reason: 'reads the uses of all people who are counted together',
  },
  'webhooks/verify/verify-again.graphql': {
    access: 'one after another',
    reason:
      'reads the uses of people who are counted together, for requests with an idempotency key',
  },
  'webhooks/precheck/precheck.graphql': {
    access: 'one after another',
    reason: 'answers simultaneous prechecks together',
  },
  'oidc/clients/remove-unused-clients.graphql': {
    access: 'row by row',
    reason: 'for each client older than a month, checks whether a person has signed in with it',
  },
  Verified: { access: 'row by row', reason: 'a team reads people nested below their actions' },
  New: { access: 'row by row', reason: 'one statement reads for all subscribers of a stream' },
  'portal LatestPerson': {
    access: 'row by row',
    reason: 'one statement reads for all subscribers',
    isPlannersChoice: true,
  },
  'portal NewPeopleOfTeam': {
    access: 'row by row',
    reason: 'the overview follows all actions of a team',
  },
}

/**
 * @throws if an operation accesses actions in another way than listed, even in a better way, unless the planner chooses
 *   between the listed way and at most one action, by its random sample of the rows
 */
export function expectOwnActions(operation: string, scans: readonly Scan[]): void {
  const { access, reason, isPlannersChoice } = SEVERAL[operation] ?? {
    access: 'at most one',
    reason: 'the operation is not in SEVERAL',
  }
  const used = actionAccess(scans)
  if (isPlannersChoice && used === 'at most one') return
  expect(used, `${operation}: ${reason}`).toBe(access)
}

export function actionAccess(scans: readonly Scan[]): ActionAccess {
  const ways = scans.filter(isOfNullifiers).map(wayToAction)
  if (ways.includes('anywhere')) return 'anywhere'
  if (ways.includes('row by row')) return 'row by row'
  return new Set(ways).size > 1 ? 'one after another' : 'at most one'
}

export function isOfNullifiers({ table }: Scan): boolean {
  return /^nullifier(_\d+)?$/.test(table)
}

/** Returns the action that a scan is bound to, or the way in which the scan accesses several actions. */
function wayToAction(scan: Scan, index: number): string {
  const { kind, condition, parameters } = scan
  // A statement that inserts a nullifier reads its action, so `id` is the action's column there.
  const column = kind === 'Insert' ? 'id' : 'action_id'
  const equal = new RegExp(String.raw`(?<![\w.])${column} = ([^ )]+|\(.*?\))\)`)
  const [, boundValue] = equal.exec(condition) ?? []
  if (!boundValue || / OR /.test(condition)) return 'anywhere'
  const [, constant] = /^'(.*)'::text$/.exec(boundValue) ?? []
  if (constant) return constant
  // PostgreSQL does not log the parameters of statements in PL/pgSQL functions, so each may be a different action.
  if (/^\$\d+$/.test(boundValue)) return parameters.get(boundValue) ?? `unknown ${index}`
  return 'row by row'
}

import { expect } from 'vitest'
import type { Scan } from './explaining-postgres.ts'

/**
 * How an operation takes the actions whose nullifiers it reads or counts:
 *
 * - `at most one`: by a constant or a parameter, so all of it is on one shard of a distributed engine
 * - `one after another`: so does each statement, but for several actions in one transaction, which is then a distributed one
 * - `row by row`: a statement looks up the action of each row of another table, which may be on any shard
 * - `anywhere`: in another way, with several actions at a time or without any
 */
type ActionAccess = 'at most one' | 'one after another' | 'row by row' | 'anywhere'

/** The operations that may take several actions, with how and why. Every other takes at most one. */
const SEVERAL: Record<string, { access: ActionAccess; reason: string }> = {
  'lib/verification/record/record-nullifiers.graphql': {
    access: 'one after another',
    reason: 'people who are counted together may be of several actions: one commit for all of them',
  },
  'lib/verification/record/record-requests.graphql': {
    access: 'one after another',
    reason: 'the same, for requests with an idempotency key',
  },
  'webhooks/verify/verify.graphql': {
    access: 'one after another',
    reason: 'reads how often the people did it who are going to be counted together',
  },
  'webhooks/verify/verify-again.graphql': {
    access: 'one after another',
    reason: 'the same, for requests with an idempotency key',
  },
  'webhooks/precheck/precheck.graphql': {
    access: 'one after another',
    reason: 'the same, for prechecks that come together',
  },
  'oidc/clients/remove-unused-clients.graphql': {
    access: 'row by row',
    reason: 'asks of each client that is a month old whether anybody ever signed in with it',
  },
  Verified: { access: 'row by row', reason: 'a team reads people below their action' },
  New: { access: 'row by row', reason: 'one statement asks for all subscribers of a stream' },
  'portal NewPeople': { access: 'row by row', reason: 'one statement asks for all subscribers' },
  'portal RecentCount': {
    access: 'row by row',
    reason: 'the overview counts people of all actions of a team',
  },
  'portal NewPeopleOfTeam': {
    access: 'row by row',
    reason: 'the overview follows all actions of a team',
  },
}

/** @throws when an operation takes actions in another way than it may, also when that is a better one */
export function expectOwnActions(operation: string, scans: readonly Scan[]): void {
  const { access, reason } = SEVERAL[operation] ?? {
    access: 'at most one',
    reason: 'it is not in the list',
  }
  expect(actionAccess(scans), `${operation}: ${reason}`).toBe(access)
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

/** The one action that a scan is bound to, or how it takes several. */
function wayToAction(scan: Scan, index: number): string {
  const { kind, condition, parameters } = scan
  // A new row is of the action that its statement reads.
  const column = kind === 'Insert' ? 'id' : 'action_id'
  const equal = new RegExp(String.raw`(?<![\w.])${column} = ([^ )]+|\(.*?\))\)`)
  const [, boundValue] = equal.exec(condition) ?? []
  if (!boundValue || / OR /.test(condition)) return 'anywhere'
  const [, constant] = /^'(.*)'::text$/.exec(boundValue) ?? []
  if (constant) return constant
  // PL/pgSQL does not log its parameters: each may be of another action.
  if (/^\$\d+$/.test(boundValue)) return parameters.get(boundValue) ?? `unknown ${index}`
  return 'row by row'
}

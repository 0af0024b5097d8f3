import { isList, isRecord } from '../../../packages/engine/json/record.ts'
import type { Ended } from '../engine-commands.ts'
import type { RoleAnswers, Tally } from '../questions/ask-role.ts'
import { isOwnFailure } from './own-faults.ts'

/** An object of the metadata that the engine does not serve. */
export type Unserved = {
  name: string
  type: string
  reason: string
  /** Whether the migrations do not make what it needs, or it is elsewhere: no engine could serve it here. */
  isOwn: boolean
}

/** What a project that is served has answered. */
export type Answers = {
  /** How `check` ended; null where it was not run. */
  check: Ended | null
  unserved: readonly Unserved[]
  /** What `export` changes of the metadata; empty where it says the same. */
  exported: string
  failedSeed: string | null
  /** How many documents the repository has. */
  found: number
  roles: readonly (RoleAnswers & { role: string })[]
}

/** What came of a project. */
export type Outcome = {
  name: string
  /** What its metadata has, in words; empty where it cannot be read. */
  size: string
  /** Whether it ran on the PostgreSQL that was given. */
  isGiven: boolean
} & ({ failure: string } | Answers)

/** `cannot be built`: by no engine, from the project's own folder and on this machine. `empty`: there is nothing to ask. */
export type Result = 'whole' | 'in part' | 'not served' | 'cannot be built' | 'empty'

/** @returns what the page says of a project */
export function resultOf(outcome: Outcome): Result {
  if ('failure' in outcome) return isOwnFailure(outcome.failure) ? 'cannot be built' : 'not served'
  if (lossesOf(outcome).length > 0) return 'in part'
  // What of a project is elsewhere says nothing of the rest.
  const isIncomplete = outcome.unserved.some(
    ({ type, reason }) => !/remote.schema/i.test(type + reason),
  )
  if (isIncomplete) return 'cannot be built'
  return outcome.roles.some(({ rootFields }) => rootFields.asked > 0) ? 'whole' : 'empty'
}

/** What the engine lost of a project that it serves, a sentence each. */
export function lossesOf({ check, unserved, exported, roles }: Answers): string[] {
  const objects = unserved.filter(({ isOwn }) => !isOwn)
  const faults = roles.flatMap((role) => [...role.faults.keys()])
  return [
    ...objects.map(({ name, reason }) => `${name}: ${reason}`),
    ...(check === null || (check.code === 0) === (unserved.length === 0)
      ? []
      : [`check says: ${check.said}`]),
    ...(exported === '' ? [] : ['export says something else']),
    ...new Set(faults.filter((fault) => !isOfMissingTable(fault, unserved))),
  ]
}

/** Whether an error is of a table that the metadata names, too, and no migration makes: functions and native queries ask for it. */
function isOfMissingTable(fault: string, unserved: readonly Unserved[]): boolean {
  const table = /relation "([^"]+)" does not exist/.exec(fault)?.[1]
  return unserved.some(({ isOwn, reason }) => isOwn && reason.endsWith(`source: "${table}"`))
}

/** Why a project is not served whole; empty where it is. */
export function causeOf(outcome: Outcome): string {
  // Before the failure `dev` tells of the migrations that it has applied.
  if ('failure' in outcome) return outcome.failure.trim().split('\n').at(-1) ?? ''
  const own = outcome.unserved.map(({ name, reason }) => `${name}: ${reason}`)
  return [...lossesOf(outcome), ...own][0] ?? ''
}

/** How many were answered of those that were asked, over all roles. */
export function totalOf(tallies: readonly Tally[]): string {
  const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0)
  return `${sum('answered')}/${sum('asked')}`
}

/** What metadata has, in words; empty where it cannot be read. */
export function sizeOf(document: Record<string, unknown> | null): string {
  const tables = listAt(document, 'sources').flatMap((source) => listAt(source, 'tables'))
  const permissions = tables.flatMap((table) => PERMISSIONS.flatMap((key) => listAt(table, key)))
  const roles = new Set(permissions.map((permission) => isRecord(permission) && permission.role))
  const counts: [number, string][] = [
    [tables.length, 'tables'],
    [roles.size, 'roles'],
    [permissions.length, 'permissions'],
    [listAt(document, 'actions').length, 'actions'],
    [tables.flatMap((table) => listAt(table, 'event_triggers')).length, 'event triggers'],
    [listAt(document, 'cron_triggers').length, 'cron triggers'],
    [listAt(document, 'remote_schemas').length, 'remote schemas'],
  ]
  return counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ')
}

const PERMISSIONS = [
  'select_permissions',
  'insert_permissions',
  'update_permissions',
  'delete_permissions',
] as const

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = isRecord(value) ? value[key] : undefined
  return isList(list) ? list : []
}

import { isList, isRecord } from '../../../packages/engine/json/record.ts'
import type { CommandResult } from '../engine-commands.ts'
import type { RoleResults, Tally } from '../queries/query-role.ts'
import { isProjectFailure } from './project-faults.ts'

/** An object of the metadata that the engine does not serve. */
export type Unserved = {
  name: string
  type: string
  reason: string
  /** True if no engine could serve the object here: the migrations do not create its table or column, or it is on another server. */
  isProjectFault: boolean
}

/** The results of a project that `dev` serves. */
export type ServedProject = {
  /** The result of `check`; null if `check` was not run. */
  check: CommandResult | null
  unserved: readonly Unserved[]
  /** The changes that `export` makes to the metadata; empty if there are none. */
  exportChanges: string
  failedSeed: string | null
  /** The number of GraphQL operations in the repository. */
  documentCount: number
  roles: readonly (RoleResults & { role: string })[]
}

/** The outcome of a project's run. */
export type Outcome = {
  name: string
  /** The counts of tables, roles and so on in the metadata; empty if the metadata cannot be read. */
  size: string
} & ({ failure: string } | ServedProject)

/** `cannot be built`: no engine can build the project from its folder on this machine. `empty`: the project has no root field. */
export type Result = 'whole' | 'in part' | 'not served' | 'cannot be built' | 'empty'

/** Returns the result that the page shows for a project. */
export function resultOf(outcome: Outcome): Result {
  if ('failure' in outcome)
    return isProjectFailure(outcome.failure) ? 'cannot be built' : 'not served'
  if (lossesOf(outcome).length > 0) return 'in part'
  // Missing remote schemas run on other servers, so they do not make the project incomplete.
  const isIncomplete = outcome.unserved.some(
    ({ type, reason }) => !/remote.schema/i.test(type + reason),
  )
  if (isIncomplete) return 'cannot be built'
  return outcome.roles.some(({ rootFields }) => rootFields.requests > 0) ? 'whole' : 'empty'
}

/** Lists the losses of a served project, one sentence for each. */
export function lossesOf({ check, unserved, exportChanges, roles }: ServedProject): string[] {
  const objects = unserved.filter(({ isProjectFault }) => !isProjectFault)
  const faults = roles.flatMap((role) => [...role.faults.keys()])
  return [
    ...objects.map(({ name, reason }) => `${name}: ${reason}`),
    ...(check === null || (check.code === 0) === (unserved.length === 0)
      ? []
      : [`check: ${check.output}`]),
    ...(exportChanges === '' ? [] : ['export changes the metadata']),
    ...new Set(faults.filter((fault) => !isAboutMissingTable(fault, unserved))),
  ]
}

/** Reports whether an error is about a tracked table that no migration creates. Functions and native queries can use such a table. */
function isAboutMissingTable(fault: string, unserved: readonly Unserved[]): boolean {
  const table = /relation "([^"]+)" does not exist/.exec(fault)?.[1]
  return unserved.some(
    ({ isProjectFault, reason }) => isProjectFault && reason.endsWith(`source: "${table}"`),
  )
}

/** Returns the first reason why the engine does not serve all of a project; empty if there is none. */
export function causeOf(outcome: Outcome): string {
  // Before the failure, `dev` prints the migrations that it has applied.
  if ('failure' in outcome) return outcome.failure.trim().split('\n').at(-1) ?? ''
  const unserved = outcome.unserved.map(({ name, reason }) => `${name}: ${reason}`)
  return [...lossesOf(outcome), ...unserved][0] ?? ''
}

/** Formats the successful requests and all requests of the tallies, as in `3/4`. */
export function formatTotal(tallies: readonly Tally[]): string {
  const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0)
  return `${sum('successes')}/${sum('requests')}`
}

/** Describes the size of metadata, as in `3 tables, 1 roles`; empty if the metadata could not be read. */
export function describeSize(document: Record<string, unknown> | null): string {
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
  return counts.flatMap(([count, noun]) => (count > 0 ? [`${count} ${noun}`] : [])).join(', ')
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

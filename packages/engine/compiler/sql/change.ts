import { ident, joinSql, type Sql, sql } from '../../postgres/sql.ts'
import {
  type Assignment,
  type Change,
  type Conflict,
  type Output,
  type Predicate,
  type ResponsePart,
  type Root,
  type Source,
  type Step,
  TRUE,
  UNBOUNDED,
} from '../ir/ir.ts'
import { printPredicate, printRows, printScalar, savedRows } from './expression.ts'
import { printFailure } from './fail-mutation.ts'
import { printCells, printInsertedRows } from './inserted-rows.ts'
import { jsonArray, jsonObject, jsonRow, type Pair, printText } from './json-object.ts'
import { outermostScope, type Scope, WHOLE_ROW } from './scope.ts'
import { printFields } from './select.ts'
import { SET_SESSION } from './set-session.ts'

type ChangeWithResult = Extract<Root, { kind: 'change' }>

/**
 * Prints a change and its result as a single statement. The result sees related rows as they were before the change.
 */
export function printChange({ change, output, setsSession }: ChangeWithResult): Sql {
  const scope = outermostScope()
  const from: Source = { kind: 'changedRows' }
  const value = printOutput(output, from, sql`(select count(*) from "changed")`)
  const session = setsSession ? sql`"session" as materialized (select ${SET_SESSION}), ` : sql``
  const changeStatement = printChangeStatement(change, scope, setsSession)
  // The outer select reads `session` first, and the insert begins only when the result reads its rows. So the session
  // is also set for statement triggers that were added after the catalogue was read.
  const first = setsSession ? sql` from "session"` : sql``
  const passes = setsSession ? ONE_PASSED : ALL_PASSED
  const result = withCheck(change, sql`(${value})::text`, passes)
  return sql`with ${session}"changed" as (${changeStatement}) select ${result}${first}`
}

/** Prints a change that saves its rows in a setting for later statements of the transaction, or prints a refusal. */
export function printStep(step: Step): Sql {
  if ('refusal' in step) return sql`select ${printFailure('determined', step.refusal)}`
  const { change, savedAs, required } = step
  const scope = outermostScope()
  const rows = sql`array(select "row" from "changed")`
  const saveRows = sql`set_config(${printText(savedAs)}, (${rows})::text, true)`
  const requiredRows =
    required === null
      ? saveRows
      : sql`case when exists (select from "changed") then ${saveRows} else ${printFailure('zeroRows', required.message)} end`
  return sql`with "changed" as (${printChangeStatement(change, scope)}) select ${withCheck(change, requiredRows)}`
}

/**
 * Prints the statement that reads the result from the rows that earlier statements saved. It sees the state after all
 * changes.
 */
export function printSavedAnswer(output: Output, from: Source, steps: readonly Step[]): Sql {
  const changes = steps.filter((step) => 'change' in step)
  const counts = changes.map(
    ({ savedAs, change }) => sql`cardinality(${savedRows(savedAs, change.table)})`,
  )
  const affected = counts.reduce((sum, count) => sql`${sum} + ${count}`, sql`0`)
  return sql`select (${printOutput(output, from, affected)})::text`
}

const CHECK_FAILED = 'check constraint of an insert/update permission has failed'

/** An SQL condition that all changed rows pass their checks. A check that is null passes, as in Hasura. */
const ALL_PASSED = sql`(select bool_and("ok") from "changed") is not false`

/** The same condition for a change of at most one row. */
const ONE_PASSED = sql`(select "ok" from "changed") is not false`

function withCheck(change: Change, result: Sql, passes = ALL_PASSED): Sql {
  if (!hasCheck(change)) return result
  return sql`case when ${passes} then ${result} else ${printFailure('check', CHECK_FAILED)} end`
}

function hasCheck(change: Change): boolean {
  if (change.kind === 'delete') return false
  const updateCheck = change.kind === 'insert' ? change.conflict?.check : null
  return !isEmptyCheck(change.check) || (updateCheck != null && !isEmptyCheck(updateCheck))
}

function isEmptyCheck(predicate: Predicate): boolean {
  return predicate.kind === 'and' && predicate.operands.length === 0
}

function printChangeStatement(change: Change, scope: Scope, fromSession = false): Sql {
  const table = ident(change.table.schema, change.table.name)
  const ok = hasCheck(change) ? sql`, ${printCheck(change, scope)} as "ok"` : sql``
  const returning = sql`returning ${scope.row} as "row"${ok}`
  switch (change.kind) {
    case 'insert': {
      const columns = joinSql(
        change.columns.map((name) => ident(name)),
        ', ',
      )
      const conflict = change.conflict ? printConflict(change.conflict, scope) : sql``
      const source = fromSession
        ? sql`select ${printCells(change.rows.flat(), scope)} from "session"`
        : printInsertedRows(change.rows, scope)
      return sql`insert into ${table} as ${scope.row} (${columns}) ${source}${conflict} ${returning}`
    }
    case 'update': {
      const set = printSet(change.set, scope)
      return sql`update ${table} as ${scope.row} set ${set} where ${printPredicate(change.where, scope)} ${returning}`
    }
    case 'delete':
      return sql`delete from ${table} as ${scope.row} where ${printPredicate(change.where, scope)} ${returning}`
  }
}

function printCheck(change: Change, scope: Scope): Sql {
  if (change.kind === 'delete') return sql`true`
  const check = printPredicate(change.check, scope)
  if (change.kind !== 'insert' || !change.conflict?.check || change.conflict.columns.length === 0)
    return check
  // xmax is zero in an inserted row, but not in an updated row.
  const updateCheck = printPredicate(change.conflict.check, scope)
  return sql`case when ${scope.row}.xmax = 0 then ${check} else ${updateCheck} end`
}

function printSet(set: readonly Assignment[], scope: Scope): Sql {
  return joinSql(
    set.map(({ column, value }) => sql`${ident(column)} = ${printScalar(value, scope)}`),
    ', ',
  )
}

function printConflict({ constraint, columns, set, where }: Conflict, scope: Scope): Sql {
  const target = sql` on conflict on constraint ${ident(constraint)}`
  if (columns.length === 0) return sql`${target} do nothing`
  const newValues = columns.map((name) => sql`${ident(name)} = excluded.${ident(name)}`)
  const presetValues = set.map(
    ({ column, value }) => sql`${ident(column)} = ${printScalar(value, scope)}`,
  )
  return sql`${target} do update set ${joinSql([...newValues, ...presetValues], ', ')} where ${printPredicate(where, scope)}`
}

function printOutput(output: Output, from: Source, affected: Sql): Sql {
  const outermost = outermostScope()
  const scope =
    from.kind === 'changedRows'
      ? { ...outermost, wholeRow: sql`${outermost.row}.${WHOLE_ROW}` }
      : outermost
  const cap = output.kind === 'row' ? 1 : null
  const rows = printRows({ ...UNBOUNDED, from, where: TRUE, cap }, [], { scope, rowScope: scope })
  if (output.kind === 'row') return jsonRow(printFields(output.fields, scope), rows)
  return jsonObject(output.parts.map((part) => printResponse(part, { scope, rows, affected })))
}

type ResponseInput = { scope: Scope; rows: Sql; affected: Sql }

function printResponse(part: ResponsePart, { scope, rows, affected }: ResponseInput): Pair {
  if (part.kind === 'affected') return { key: part.as, value: affected }
  if (part.kind === 'typename') return { key: part.as, value: printText(part.name) }
  return { key: part.as, value: jsonArray(printFields(part.fields, scope), rows, sql``) }
}

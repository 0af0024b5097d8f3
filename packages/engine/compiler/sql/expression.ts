import type { PgType } from '../../postgres/catalog.ts'
import { ident, joinSql, Sql, sql, wholeNumber } from '../../postgres/sql.ts'
import {
  type AggregateCall,
  type Argument,
  type BinaryOperator,
  type Call,
  type Join,
  type Name,
  type Order,
  type Parameter,
  type Predicate,
  type Rows,
  type Scalar,
  type Source,
  UNBOUNDED,
} from '../ir/ir.ts'
import { OPERATORS } from '../operators.ts'
import { printBase64Json } from './base64-json.ts'
import { innerScope, type Scope, WHOLE_ROW } from './scope.ts'
import { printParameter, printTyped, qualified, TEXT, typeName } from './typed.ts'

/** Prints an expression over the row of the scope. */
export function printScalar(scalar: Scalar, scope: Scope): Sql {
  switch (scalar.kind) {
    case 'column':
      return sql`${scope[scalar.of]}.${ident(scalar.name)}`
    case 'parameter':
      return scalar.parameter.ofSession && scope.convertsLate
        ? printTyped(sql`(${scalar.parameter})::${typeName(TEXT)}`, scalar.parameter.type)
        : printParameter(scalar.parameter)
    case 'integer':
      return wholeNumber(scalar.value)
    case 'list':
      return printList(scalar.items, scalar.type, scope)
    case 'call':
      return printCall(scalar.call, scope)
    case 'cast':
      return sql`(${printScalar(scalar.of, scope)})::${typeName(scalar.type)}`
    case 'upper':
      return sql`upper(${printScalar(scalar.of, scope)})`
    case 'row': {
      const values = scalar.of.map((item) => printScalar(item, scope))
      return sql`(${joinSql(values, ', ')})`
    }
    case 'masked':
      return sql`case when ${printPredicate(scalar.where, scope)} then ${printScalar(scalar.of, scope)} end`
    case 'distinct':
      return sql`${DISTINCT}.${ident(String(scalar.place))}`
    case 'binary':
      return BINARY[scalar.operator](
        printScalar(scalar.left, scope),
        printScalar(scalar.right, scope),
      )
    case 'path':
      return sql`${printScalar(scalar.of, scope)} #> ${printTexts(scalar.path)}`
    case 'relatedValue':
      return printRelatedValue(scalar.rows, scalar.join, scalar.value, scope)
    case 'aggregate':
      return printAggregateOver(scalar.rows, scalar.join, scalar.call, scope)
    case 'base64':
      return printBase64Json(scalar.of, (inner) => printScalar(inner, scope))
    case 'savedColumn':
      return sql`(${savedRows(scalar.savedAs, scalar.table)})[1].${ident(scalar.column)}`
  }
}

function printList(items: readonly Scalar[], type: PgType, scope: Scope): Sql {
  const printedItems = items.map((item) => printScalar(item, scope))
  return sql`array[${joinSql(printedItems, ', ')}]::${typeName(type)}`
}

const BINARY: Readonly<Record<BinaryOperator, (left: Sql, right: Sql) => Sql>> = {
  '+': (left, right) => sql`${left} + ${right}`,
  '||': (left, right) => sql`${left} || ${right}`,
  '-': (left, right) => sql`${left} - ${right}`,
  '#-': (left, right) => sql`${left} #- ${right}`,
}

function printTexts(texts: readonly string[]): Sql {
  const items = texts.map((text) => printParameter({ type: TEXT, read: () => text }))
  return sql`array[${joinSql(items, ', ')}]::text[]`
}

/** Prints a function's call. For the argument `row`, the function gets the row of the scope. */
function printCall({ schema, name, args }: Call, scope: Scope): Sql {
  const fragments = args.map((argument) => printArgument(argument, scope))
  return sql`${qualified(schema, name)}(${joinSql(fragments, ', ')})`
}

function printArgument({ name, value }: Argument, scope: Scope): Sql {
  const fragments = value === 'row' ? scope.wholeRow : printScalar(value, scope)
  return name === null ? fragments : sql`${ident(name)} => ${fragments}`
}

function printRelatedValue(rows: Rows, on: Join, value: Scalar, scope: Scope): Sql {
  const rowScope = innerScope(scope)
  return sql`(select ${printScalar(value, rowScope)} ${printRows(rows, on, { scope, rowScope: rowScope })} limit 1)`
}

function printAggregateOver(rows: Rows, on: Join, call: AggregateCall, scope: Scope): Sql {
  const rowScope = innerScope(scope)
  return sql`(select ${printAggregateCall(call, rowScope)} ${printRows(rows, on, { scope, rowScope: rowScope })})`
}

/** Prints the call of an aggregate function. */
export function printAggregateCall(
  { function: name, arguments: args, distinct, filter }: AggregateCall,
  scope: Scope,
): Sql {
  const values = args?.map((argument) => printScalar(argument, scope))
  const operand = values
    ? sql`${distinct ? sql`distinct ` : sql``}${joinSql(values, ', ')}`
    : sql`*`
  const call = sql`${ident(name)}(${operand})`
  return filter ? sql`${call} filter (where ${printPredicate(filter, scope)})` : call
}

/** Prints a condition on the row of the scope. */
export function printPredicate(predicate: Predicate, scope: Scope): Sql {
  switch (predicate.kind) {
    case 'and':
      return printConnected(predicate.operands, ' and ', scope)
    case 'or':
      return printConnected(predicate.operands, ' or ', scope)
    case 'not':
      return sql`not (${printPredicate(predicate.of, scope)})`
    case 'isNotTrue':
      return sql`(${printPredicate(predicate.of, scope)}) is not true`
    case 'compare': {
      const { print } = OPERATORS[predicate.operator]
      return sql`(${print(printScalar(predicate.left, scope), printScalar(predicate.right, scope))})`
    }
    case 'callIsTrue':
      return printCall(predicate.call, scope)
    case 'null':
      return predicate.isNull
        ? sql`(${printScalar(predicate.of, scope)} is null)`
        : sql`(${printScalar(predicate.of, scope)} is not null)`
    case 'exists': {
      const rowScope = innerScope(scope)
      const rows = { ...UNBOUNDED, from: predicate.from, where: predicate.where }
      return sql`exists (select ${printRows(rows, predicate.join, { scope, rowScope: rowScope })})`
    }
    case 'permission':
      return printPredicate(predicate.of, { ...scope, root: scope.row })
  }
}

function printConnected(
  parts: readonly Predicate[],
  separator: ' and ' | ' or ',
  scope: Scope,
): Sql {
  if (parts.length === 0) return separator === ' and ' ? sql`true` : sql`false`
  const fragments = parts.map((part) => printPredicate(part, scope))
  return fragments.length === 1
    ? joinSql(fragments, separator)
    : sql`(${joinSql(fragments, separator)})`
}

/**
 * Prints `from … where … order by … limit …`. The source may refer to the outer row. `extraJoin` is joined to each row.
 */
export function printRows(
  rows: Rows,
  on: Join,
  { scope, rowScope, extraJoin = sql`` }: { scope: Scope; rowScope: Scope; extraJoin?: Sql },
): Sql {
  const joinConditions = on.map(
    ({ outer, inner }) => sql`${rowScope.row}.${ident(inner)} = ${scope.row}.${ident(outer)}`,
  )
  const conditions = isAlwaysTrue(rows.where)
    ? joinConditions
    : [...joinConditions, printPredicate(rows.where, rowScope)]
  const where = conditions.length > 0 ? sql` where ${joinSql(conditions, ' and ')}` : sql``
  const distinctJoin = printDistinctValues(rows, rowScope)
  return sql`from ${printSource(rows.from, scope)} ${rowScope.row}${distinctJoin}${extraJoin}${where}${printOrder(rows.order, rowScope)}${printBounds(rows, rowScope)}`
}

/** Prints a join that gives a name to each expression of `distinct_on`, unless all expressions are columns. */
function printDistinctValues({ distinctOn }: Rows, scope: Scope): Sql {
  if (distinctOn.every(({ kind }) => kind === 'column')) return sql``
  const values = distinctOn.map(
    (scalar, place) => sql`${printScalar(scalar, scope)} as ${ident(String(place))}`,
  )
  return sql` cross join lateral (select ${joinSql(values, ', ')}) ${DISTINCT}`
}

const DISTINCT = ident('distinct in')

/** Prints the `distinct on` of the select that reads rows. */
export function printDistinctOn({ distinctOn: scalars }: Rows, scope: Scope): Sql {
  if (scalars.length === 0) return sql``
  const fragments = scalars.map((scalar, place) =>
    printScalar(scalar.kind === 'column' ? scalar : { kind: 'distinct', place }, scope),
  )
  return sql`distinct on (${joinSql(fragments, ', ')}) `
}

function isAlwaysTrue(predicate: Predicate): boolean {
  if (predicate.kind === 'permission') return isAlwaysTrue(predicate.of)
  return predicate.kind === 'and' && predicate.operands.every(isAlwaysTrue)
}

function printSource(source: Source, scope: Scope): Sql {
  switch (source.kind) {
    case 'table':
      return ident(source.table.schema, source.table.name)
    case 'function':
      return printCall(source.call, scope)
    case 'savedRows':
      return sql`unnest(${concatenateArrays(source.names.map((name) => savedRows(name, source.table)))})`
    case 'changedRows':
      return sql`(select ("row").*, "row" as ${WHOLE_ROW} from "changed")`
    case 'nativeQuery':
      return sql`(${printNativeQuery(source.pieces)})`
    case 'nestedObjects':
      return printNestedObjects(source, scope)
  }
}

/** Prints the array of rows that an earlier statement of the transaction saved. */
export function savedRows(name: string, table: Name): Sql {
  const setting = printParameter({ type: TEXT, read: () => name })
  return sql`current_setting(${setting})::${ident(table.schema, table.name)}[]`
}

function concatenateArrays(arrays: readonly Sql[]): Sql {
  return arrays.reduce((all, array) => sql`${all} || ${array}`)
}

function printNestedObjects(
  { column, columns, isList }: Extract<Source, { kind: 'nestedObjects' }>,
  scope: Scope,
): Sql {
  const value = sql`to_jsonb(${printScalar({ kind: 'column', name: column, of: 'row' }, scope)})`
  const columnDefinitions = columns.map(({ name, type }) => sql`${ident(name)} ${typeName(type)}`)
  const as = sql`"inside" (${joinSql(columnDefinitions, ', ')})`
  if (isList) return sql`(select * from jsonb_to_recordset(${value}) as ${as})`
  return sql`(select * from jsonb_to_record(${value}) as ${as} where ${value} is not null)`
}

function printNativeQuery(pieces: readonly (string | Parameter)[]): Sql {
  return pieces
    .map((piece) => (typeof piece === 'string' ? trustedSql(piece) : printParameter(piece)))
    .reduce((all, piece) => sql`${all}${piece}`)
}

/** Creates SQL without escaping: the text of a native query, which comes from the metadata and never from a request. */
function trustedSql(text: string): Sql {
  return new Sql([text])
}

function printOrder(order: readonly Order[], scope: Scope): Sql {
  if (order.length === 0) return sql``
  const items = order.map(({ by, direction, nulls }) => {
    const first = nulls === 'first' ? sql`nulls first` : sql`nulls last`
    return sql`${printScalar(by, scope)} ${direction === 'asc' ? sql`asc` : sql`desc`} ${first}`
  })
  return sql` order by ${joinSql(items, ', ')}`
}

function printBounds({ limit, ties, offset, cap }: Rows, scope: Scope): Sql {
  if (ties && limit) return sql` fetch first (${printScalar(limit, scope)}) rows with ties`
  const bounds = [
    ...(limit === null ? [] : [printScalar(limit, scope)]),
    ...(cap === null ? [] : [wholeNumber(BigInt(cap))]),
  ]
  const all = joinSql(bounds, ', ')
  const least = bounds.length > 1 ? sql`least(${all})` : all
  const limitClause = bounds.length > 0 ? sql` limit ${least}` : sql``
  return offset === null ? limitClause : sql`${limitClause} offset ${printScalar(offset, scope)}`
}

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { graphqlLiteral } from '../../../trials/differential/operations/graphql-literal.ts'
import { fullSelection, type KnownRows } from './every-query.ts'
import type { Row } from './team-rows.ts'

/**
 * Returns every mutation that a role can try with another team's rows, one root field each.
 * Inserts add copies of these rows, and rows that refer to them, nest them or conflict with them.
 * Updates change these rows, and move the caller's rows to the other team. Deletes come last.
 */
export function mutationAttempts(
  schema: GraphQLSchema,
  otherRows: KnownRows,
  ownRows: KnownRows,
): string[] {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {})
  const tries = fields.flatMap((field) => {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return []
    // The first attempt follows one relation more than the others. If all did, the responses would be very long.
    const depth = (i: number) => (i === 0 ? 2 : 1)
    return attemptedArguments(field, otherRows, ownRows).map(
      (argumentText, i) => `${field.name}(${argumentText}) ${fullSelection(type, depth(i))}`,
    )
  })
  return [
    ...tries.filter((each) => !each.startsWith('delete_')),
    ...tries.filter((each) => each.startsWith('delete_')),
  ]
}

type Field = GraphQLField<unknown, unknown>

function attemptedArguments(field: Field, otherRows: KnownRows, ownRows: KnownRows): string[] {
  const { name } = field
  const table = name.replace(/^(insert|update|delete)_/, '').replace(/_(one|by_pk|many)$/, '')
  // The other team's first row in a table represents all its rows there.
  const rows = {
    otherRows: otherRows.get(table)?.slice(0, 1) ?? [],
    ownRows: ownRows.get(table) ?? [],
  }
  if (name.startsWith('insert_')) return insertArguments(field, rows, otherRows)
  if (name.startsWith('update_')) return updateArguments(field, rows)
  return deleteArguments(field, rows)
}

type Rows = { otherRows: readonly Row[]; ownRows: readonly Row[] }

function insertArguments(
  { args }: Field,
  { otherRows, ownRows }: Rows,
  knownRows: KnownRows,
): string[] {
  const [objects] = args
  const input = inputObjectType(objects)
  if (!objects || !input) return []
  const isList = objects.name === 'objects'
  const give = (object: string) => `${objects.name}: ${isList ? `[${object}]` : object}`
  const attempts = otherRows.flatMap((row, i) =>
    objectsLike(input, row, ownRows[i] ?? ownRows[0], knownRows),
  )
  const conflicts = conflictClauses(args.find(({ name }) => name === 'on_conflict'))
  return attempts.flatMap((object) => [
    give(object),
    ...conflicts.map((conflict) => `${give(object)}, on_conflict: ${conflict}`),
  ])
}

/**
 * Returns a copy of the other team's row, a copy with other unique texts, own rows with a foreign key of that row, and own
 * rows with rows of the other team nested in them.
 */
function objectsLike(
  input: GraphQLInputObjectType,
  otherRow: Row,
  ownRow: Row | undefined,
  knownRows: KnownRows,
): string[] {
  const copy = pickInputColumns(input, otherRow)
  const ownObject = pickInputColumns(input, withOtherTexts(ownRow ?? {}))
  const foreignReferences = Object.keys(copy)
    .filter((column) => /_id$/.test(column))
    .map((column) => ({ ...ownObject, [column]: otherRow[column] }))
  const nested = Object.values(input.getFields()).flatMap(({ name, type }) => {
    const relation = getNamedType(type)
    if (!isInputObjectType(relation) || !relation.name.endsWith('_rel_insert_input')) return []
    return nestedObjects(name, relation, ownObject, knownRows)
  })
  return [
    ...[copy, pickInputColumns(input, withOtherTexts(otherRow)), ...foreignReferences].map(
      graphqlLiteral,
    ),
    ...nested,
  ]
}

function nestedObjects(
  name: string,
  relation: GraphQLInputObjectType,
  ownObject: Row,
  knownRows: KnownRows,
): string[] {
  const { data, on_conflict } = relation.getFields()
  const input = data && getNamedType(data.type)
  if (!isInputObjectType(input)) return []
  const isList = relation.name.endsWith('_arr_rel_insert_input')
  const conflicts = on_conflict ? conflictClausesOfType(getNamedType(on_conflict.type)) : []
  // The outer row must not set the foreign key that the relation sets.
  const outer = Object.fromEntries(
    Object.entries(ownObject).filter(([key]) => key !== `${name}_id`),
  )
  const rows = knownRows.get(input.name.replace(/_insert_input$/, '')) ?? []
  return rows.slice(0, 1).flatMap((row) =>
    [pickInputColumns(input, row), pickInputColumns(input, withOtherTexts(row))].flatMap(
      (inner) => {
        const argumentText = isList ? `[${graphqlLiteral(inner)}]` : graphqlLiteral(inner)
        return ['', ...conflicts.map((conflict) => `, on_conflict: ${conflict}`)].map((conflict) =>
          graphqlLiteral(outer).replace(/\}$/, `, ${name}: {data: ${argumentText}${conflict}}}`),
        )
      },
    ),
  )
}

function conflictClauses(argument: GraphQLArgument | undefined): string[] {
  return argument ? conflictClausesOfType(getNamedType(argument.type)) : []
}

function conflictClausesOfType(type: unknown): string[] {
  if (!isInputObjectType(type)) return []
  const { constraint, update_columns } = type.getFields()
  const columns = enumValueNames(update_columns).filter((name) => !name.startsWith('_'))
  return enumValueNames(constraint).map(
    (name) => `{constraint: ${name}, update_columns: [${columns.join(', ')}]}`,
  )
}

function enumValueNames(field: GraphQLInputField | undefined): string[] {
  const type = field && getNamedType(field.type)
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : []
}

function updateArguments({ name, args }: Field, { otherRows, ownRows }: Rows): string[] {
  const set = inputObjectType(args.find((argument) => argument.name === '_set'))
  if (name.endsWith('_by_pk'))
    return otherRows.flatMap((row) => {
      const key = inputObjectType(args.find((argument) => argument.name === 'pk_columns'))
      return key && set
        ? singleColumnChanges(set, row).map(
            (to) => `pk_columns: ${graphqlLiteral(pickInputColumns(key, row))}, _set: ${to}`,
          )
        : []
    })
  if (name.endsWith('_many')) {
    const inner = inputObjectType(args[0])?.getFields()._set
    const many = inner && getNamedType(inner.type)
    if (!isInputObjectType(many)) return []
    return otherRows.flatMap((row) =>
      singleColumnChanges(many, row).map((to) => `updates: [{where: {}, _set: ${to}}]`),
    )
  }
  if (!set) return []
  return otherRows.flatMap((row) =>
    singleColumnChanges(set, row).flatMap((to) =>
      whereClauses([...otherRows], ownRows).map((where) => `where: ${where}, _set: ${to}`),
    ),
  )
}

/** Changes one column at a time, because the rejection of one column would hide the others. */
function singleColumnChanges(set: GraphQLInputObjectType, row: Row): string[] {
  return Object.entries(pickInputColumns(set, row)).map(([column, value]) =>
    graphqlLiteral({ [column]: value }),
  )
}

function deleteArguments({ name, args }: Field, { otherRows, ownRows }: Rows): string[] {
  if (!name.endsWith('_by_pk'))
    return whereClauses(otherRows, ownRows).map((where) => `where: ${where}`)
  return otherRows.map((row) =>
    args.map((argument) => `${argument.name}: ${graphqlLiteral(row[argument.name])}`).join(', '),
  )
}

function whereClauses(otherRows: readonly Row[], ownRows: readonly Row[]): string[] {
  const ids = otherRows.map(({ id }) => id).filter((id) => id !== undefined)
  const all = ownRows.length > 0 ? ['{}', '{_not: {_or: []}}'] : ['{}']
  return ids.length > 0 ? [`{id: {_in: ${graphqlLiteral(ids)}}}`, ...all] : all
}

/** Changes the texts in columns that have unique constraints in some tables. */
function withOtherTexts(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'string' && /^(action|name|reference|redirect_uri)$/.test(key)
        ? `${value}-2`
        : value,
    ]),
  )
}

function pickInputColumns(input: GraphQLInputObjectType, row: Row): Row {
  const names = Object.keys(input.getFields())
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => names.includes(name) && value !== null),
  )
}

function inputObjectType(argument: GraphQLArgument | undefined): GraphQLInputObjectType | null {
  const named = argument && getNamedType(argument.type)
  return named && isInputObjectType(named) ? named : null
}

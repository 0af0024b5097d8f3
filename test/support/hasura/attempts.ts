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
import { type Known, selection } from './questions.ts'
import type { Row } from './two-teams.ts'

/**
 * Everything that a role can try with another team's rows, one mutation each: to insert the like of
 * them, below them, above them and in their place; to change them and to make own rows theirs; to delete
 * them. Deletions come last.
 */
export function attempts(schema: GraphQLSchema, theirs: Known, mine: Known): string[] {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {})
  const tries = fields.flatMap((field) => {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return []
    // What is related is answered once: it makes a long answer.
    const depth = (i: number) => (i === 0 ? 2 : 1)
    return argumentsOf(field, theirs, mine).map(
      (given, i) => `${field.name}(${given}) ${selection(type, depth(i))}`,
    )
  })
  return [
    ...tries.filter((each) => !each.startsWith('delete_')),
    ...tries.filter((each) => each.startsWith('delete_')),
  ]
}

type Field = GraphQLField<unknown, unknown>

function argumentsOf(field: Field, theirs: Known, mine: Known): string[] {
  const { name } = field
  const table = name.replace(/^(insert|update|delete)_/, '').replace(/_(one|by_pk|many)$/, '')
  // One row of a table stands for the others.
  const rows = { theirs: theirs.get(table)?.slice(0, 1) ?? [], mine: mine.get(table) ?? [] }
  if (name.startsWith('insert_')) return insertions(field, rows, theirs)
  if (name.startsWith('update_')) return updates(field, rows)
  return deletions(field, rows)
}

type Rows = { theirs: readonly Row[]; mine: readonly Row[] }

function insertions({ args }: Field, { theirs, mine }: Rows, known: Known): string[] {
  const [objects] = args
  const input = inputOf(objects)
  if (!objects || !input) return []
  const isList = objects.name === 'objects'
  const give = (object: string) => `${objects.name}: ${isList ? `[${object}]` : object}`
  const made = theirs.flatMap((row, i) => objectsLike(input, row, mine[i] ?? mine[0], known))
  const conflicts = conflictsOf(args.find(({ name }) => name === 'on_conflict'))
  return made.flatMap((object) => [
    give(object),
    ...conflicts.map((conflict) => `${give(object)}, on_conflict: ${conflict}`),
  ])
}

/** A row as it is, one that no key stands in the way of, one of ours that points to theirs, nested ones. */
function objectsLike(
  input: GraphQLInputObjectType,
  theirs: Row,
  mine: Row | undefined,
  known: Known,
): string[] {
  const copy = pick(input, theirs)
  const ours = pick(input, fresh(mine ?? {}))
  const pointing = Object.keys(copy)
    .filter((column) => /_id$/.test(column))
    .map((column) => ({ ...ours, [column]: theirs[column] }))
  const nested = Object.values(input.getFields()).flatMap(({ name, type }) => {
    const relation = getNamedType(type)
    if (!isInputObjectType(relation) || !relation.name.endsWith('_rel_insert_input')) return []
    return nestedIn(name, relation, ours, known)
  })
  return [...[copy, pick(input, fresh(theirs)), ...pointing].map(literal), ...nested]
}

function nestedIn(
  name: string,
  relation: GraphQLInputObjectType,
  ours: Row,
  known: Known,
): string[] {
  const { data, on_conflict } = relation.getFields()
  const input = data && getNamedType(data.type)
  if (!isInputObjectType(input)) return []
  const isList = relation.name.endsWith('_arr_rel_insert_input')
  const conflicts = on_conflict ? conflictsIn(getNamedType(on_conflict.type)) : []
  // A key that the relation decides must not be given on either side.
  const outer = Object.fromEntries(Object.entries(ours).filter(([key]) => key !== `${name}_id`))
  const rows = known.get(input.name.replace(/_insert_input$/, '')) ?? []
  return rows.slice(0, 1).flatMap((row) =>
    [pick(input, row), pick(input, fresh(row))].flatMap((inner) => {
      const given = isList ? `[${literal(inner)}]` : literal(inner)
      return ['', ...conflicts.map((conflict) => `, on_conflict: ${conflict}`)].map((conflict) =>
        literal(outer).replace(/\}$/, `, ${name}: {data: ${given}${conflict}}}`),
      )
    }),
  )
}

function conflictsOf(argument: GraphQLArgument | undefined): string[] {
  return argument ? conflictsIn(getNamedType(argument.type)) : []
}

function conflictsIn(type: unknown): string[] {
  if (!isInputObjectType(type)) return []
  const { constraint, update_columns } = type.getFields()
  const columns = valuesOf(update_columns).filter((name) => !name.startsWith('_'))
  return valuesOf(constraint).map(
    (name) => `{constraint: ${name}, update_columns: [${columns.join(', ')}]}`,
  )
}

function valuesOf(field: GraphQLInputField | undefined): string[] {
  const type = field && getNamedType(field.type)
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : []
}

function updates({ name, args }: Field, { theirs, mine }: Rows): string[] {
  const set = inputOf(args.find((argument) => argument.name === '_set'))
  if (name.endsWith('_by_pk'))
    return theirs.flatMap((row) => {
      const key = inputOf(args.find((argument) => argument.name === 'pk_columns'))
      return key && set
        ? changesOf(set, row).map((to) => `pk_columns: ${literal(pick(key, row))}, _set: ${to}`)
        : []
    })
  if (name.endsWith('_many')) {
    const inner = inputOf(args[0])?.getFields()._set
    const many = inner && getNamedType(inner.type)
    if (!isInputObjectType(many)) return []
    return theirs.flatMap((row) =>
      changesOf(many, row).map((to) => `updates: [{where: {}, _set: ${to}}]`),
    )
  }
  if (!set) return []
  return theirs.flatMap((row) =>
    changesOf(set, row).flatMap((to) =>
      whereClauses([...theirs], mine).map((where) => `where: ${where}, _set: ${to}`),
    ),
  )
}

/** Each column by itself, since the refusal of one must not hide another. */
function changesOf(set: GraphQLInputObjectType, row: Row): string[] {
  return Object.entries(pick(set, row)).map(([column, value]) => literal({ [column]: value }))
}

function deletions({ name, args }: Field, { theirs, mine }: Rows): string[] {
  if (!name.endsWith('_by_pk')) return whereClauses(theirs, mine).map((where) => `where: ${where}`)
  return theirs.map((row) =>
    args.map((argument) => `${argument.name}: ${literal(row[argument.name])}`).join(', '),
  )
}

function whereClauses(theirs: readonly Row[], mine: readonly Row[]): string[] {
  const ids = theirs.map(({ id }) => id).filter((id) => id !== undefined)
  const all = mine.length > 0 ? ['{}', '{_not: {_or: []}}'] : ['{}']
  return ids.length > 0 ? [`{id: {_in: ${literal(ids)}}}`, ...all] : all
}

/** Other texts than the row has, where they are free to be others. */
function fresh(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'string' && /^(action|name|reference|redirect_uri)$/.test(key)
        ? `${value}-2`
        : value,
    ]),
  )
}

function pick(input: GraphQLInputObjectType, row: Row): Row {
  const names = Object.keys(input.getFields())
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => names.includes(name) && value !== null),
  )
}

function inputOf(argument: GraphQLArgument | undefined): GraphQLInputObjectType | null {
  const named = argument && getNamedType(argument.type)
  return named && isInputObjectType(named) ? named : null
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  return `{${entries.join(', ')}}`
}

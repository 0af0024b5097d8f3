import { EngineError, validationError } from '../../../errors.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { comparedType } from '../../../postgres/scalars.ts'
import type { Field, Parameter, Predicate, Scalar, Shape } from '../../ir/ir.ts'
import type { Column, SourceModel, Table } from '../../model/model.ts'
import { namedType, type ObjectType } from '../../schema/graphql-types.ts'
import { rowType } from '../../schema/types/row-type.ts'
import type { Variables } from '../decision.ts'
import { noteReading } from '../document/input.ts'
import { fieldArguments, type Selected } from '../document/selection-set.ts'
import { planFields } from '../fields/fields.ts'
import type { Planner } from '../planner.ts'
import { allRows } from '../read/access.ts'
import { encodedValue } from '../relay/encoded-value.ts'
import { InvalidNodeId, type NodeId, readNodeId } from '../relay/node-id.ts'
import { planId } from '../relay/text-argument.ts'

/**
 * Plans the root field `node`. Which table is read depends on the id, and nothing else does: ids of one table share
 * a plan. As in Hasura, the selection is checked for every type that an id may name.
 */
export function planNode(planner: Planner, one: Selected): PlannedNode {
  const id = fieldArguments(planner, one)('id')
  const text = planId(planner, id)
  const candidates = nodeTables(planner, one).map(({ table, type }) => {
    const fields = planFields(planner, { ...one, field: fieldOfType(one, type) }, table)
    return { table, fields }
  })
  const read = (variables: Variables) => idOrRefusal(text(variables), id.path)
  const named = read(planner.variables)
  noteReading(planner, id, (value) => tableOfId(value))
  const key = catalogKey(named)
  const [found, other] = candidates.filter(({ table }) => catalogKey(table) === key)
  if (!found) throw invalidId(id.path, `no such table found: '${named.schema}.${named.name}'`)
  if (other) throw invalidId(id.path, ambiguousMessage(named, [found.table, other.table]))
  const { source } = found.table
  return { source, shape: nodeShape(planner, found, { named, read, path: id.path }) }
}

/** The source of the row is known only when the id is. */
type PlannedNode = { source: SourceModel; shape: Shape }

/** As in Hasura, ids do not say in which source their table is. */
function ambiguousMessage({ schema, name }: NodeId, tables: readonly Table[]): string {
  const sources = tables.map(({ source }) => `'${source.name}'`).join(', ')
  return `this id matches more than one table across different sources: '${schema}.${name}' exists in sources [${sources}]`
}

type NodeTable = { table: Table; type: ObjectType }

/** The tables whose rows have global ids for the role, with the types of their rows. */
function nodeTables({ schema }: Planner, { field }: Selected): NodeTable[] {
  const type = field && namedType(field.type)
  if (type?.kind !== 'interface') return []
  const members = new Set(type.members())
  const tables = [...schema.model.sources.values()].flatMap((source) => [...source.tables.values()])
  return tables.flatMap((table) => {
    // By the type itself: another source may have a type of the same name.
    const own = rowType(schema.in(table.source), table)
    return members.has(own) ? [{ table, type: own }] : []
  })
}

/** The field as it is when the row is of this type. */
function fieldOfType({ field }: Selected, type: ObjectType): Selected['field'] {
  return field && { ...field, type }
}

function idOrRefusal(text: string, path: string): NodeId {
  try {
    return readNodeId(text)
  } catch (cause) {
    throw cause instanceof InvalidNodeId ? invalidId(path, cause.message) : cause
  }
}

function invalidId(path: string, reason: string): EngineError {
  return validationError(path, `invalid node id: ${reason}`)
}

/** The part of an id on which the plan depends: its table, and how many values the key has. */
function tableOfId(value: unknown): string {
  try {
    const { schema, name, key } = readNodeId(String(value))
    return JSON.stringify([schema, name, key.length])
  } catch {
    return 'no id'
  }
}

type Given = { named: NodeId; read(variables: Variables): NodeId; path: string }

function nodeShape(
  planner: Planner,
  { table, fields }: { table: Table; fields: readonly Field[] },
  given: Given,
): Shape {
  const where = keyEquals(planner, table.primaryKey ?? [], given)
  const rows = allRows(planner, table, where, { kind: 'table', table })
  return { kind: 'one', rows, join: [], fields, isLookUp: false }
}

function keyEquals(planner: Planner, columns: readonly Column[], given: Given): Predicate {
  const { key } = given.named
  const missing = columns.slice(key.length).map(({ name }) => JSON.stringify(name))
  if (missing.length > 0)
    throw invalidId(given.path, `primary key columns ${missing.join(', ')} are missing`)
  if (key.length > columns.length)
    throw invalidId(
      given.path,
      `unexpected column values ${JSON.stringify(key.slice(columns.length))}`,
    )
  const all = columns.map((column, i): Predicate => {
    const parameter = keyParameter(planner, column, i, given)
    const left: Scalar = { kind: 'column', name: column.name, of: 'row' }
    return { kind: 'compare', operator: '_eq', left, right: { kind: 'parameter', parameter } }
  })
  return { kind: 'and', all }
}

function keyParameter(
  planner: Planner,
  column: Column,
  place: number,
  { read, path }: Given,
): Parameter {
  const type = comparedType(column.type)
  const refuse = (reason: string) => {
    const message = `value of column "${column.name}" in node id: ${reason}`
    return new EngineError('parse-failed', message, { path })
  }
  const readText = (variables: Variables) => encodedValue(type, read(variables).key[place], refuse)
  // Read once now, so that of several wrong values the first is told.
  readText(planner.variables)
  return { type, read: ({ variables }) => readText(variables) }
}

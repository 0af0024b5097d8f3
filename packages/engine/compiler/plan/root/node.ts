import { EngineError, validationError } from '../../../errors.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { comparisonType } from '../../../postgres/scalars.ts'
import type { Field, Parameter, Predicate, Scalar, Shape } from '../../ir/ir.ts'
import type { Column, SourceModel, Table } from '../../model/model.ts'
import { namedType, type ObjectType } from '../../schema/graphql-types.ts'
import { rowType } from '../../schema/types/row-type.ts'
import type { Variables } from '../decision.ts'
import { noteReading } from '../document/input.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import { planFields } from '../fields/fields.ts'
import type { Planner } from '../planner.ts'
import { allRows } from '../read/access.ts'
import { encodeOrThrow } from '../relay/encoded-value.ts'
import { InvalidNodeId, type NodeId, readNodeId } from '../relay/node-id.ts'
import { planId } from '../relay/text-argument.ts'

/**
 * Plans the root field `node`. The plan depends only on the table in the ID, and on how many key values the ID has. So
 * IDs of the same table share a plan. As in Hasura, the selection is checked for every type of row that an ID may
 * identify.
 */
export function planNode(planner: Planner, selection: SelectedField): PlannedNode {
  const id = fieldArguments(planner, selection)('id')
  const text = planId(planner, id)
  const candidates = nodeTables(planner, selection).map(({ table, type }) => {
    const fields = planFields(planner, { ...selection, field: fieldOfType(selection, type) }, table)
    return { table, fields }
  })
  const readId = (variables: Variables) => parseId(text(variables), id.path)
  const nodeId = readId(planner.variables)
  noteReading(planner, id, (value) => tableOfId(value))
  const key = catalogKey(nodeId)
  const [node, secondNode] = candidates.filter(({ table }) => catalogKey(table) === key)
  if (!node) throw invalidId(id.path, `no such table found: '${nodeId.schema}.${nodeId.name}'`)
  if (secondNode) throw invalidId(id.path, ambiguousMessage(nodeId, [node.table, secondNode.table]))
  const { source } = node.table
  return { source, shape: nodeShape(planner, node, { nodeId, read: readId, path: id.path }) }
}

/** A shape, and the source of the row. The ID decides which source this is. */
type PlannedNode = { source: SourceModel; shape: Shape }

/** Returns the message for an ID that fits several sources. IDs do not contain the source, as in Hasura. */
function ambiguousMessage({ schema, name }: NodeId, tables: readonly Table[]): string {
  const sources = tables.map(({ source }) => `'${source.name}'`).join(', ')
  return `this id matches more than one table across different sources: '${schema}.${name}' exists in sources [${sources}]`
}

type NodeTable = { table: Table; type: ObjectType }

/** Returns the tables that the role can read by a global ID, and the types of their rows. */
function nodeTables({ schema }: Planner, { field }: SelectedField): NodeTable[] {
  const type = field && namedType(field.type)
  if (type?.kind !== 'interface') return []
  const members = new Set(type.members())
  const tables = [...schema.model.sources.values()].flatMap((source) => [...source.tables.values()])
  return tables.flatMap((table) => {
    // Compares the types themselves, not their names, because another source may have a type with the same name.
    const rowTypeOfTable = rowType(schema.in(table.source), table)
    return members.has(rowTypeOfTable) ? [{ table, type: rowTypeOfTable }] : []
  })
}

/** Returns the field with the type of the row. */
function fieldOfType({ field }: SelectedField, type: ObjectType): SelectedField['field'] {
  return field && { ...field, type }
}

function parseId(text: string, path: string): NodeId {
  try {
    return readNodeId(text)
  } catch (cause) {
    throw cause instanceof InvalidNodeId ? invalidId(path, cause.message) : cause
  }
}

function invalidId(path: string, reason: string): EngineError {
  return validationError(path, `invalid node id: ${reason}`)
}

/** Returns the part of an ID that the plan depends on: the table, and the number of the key's values. */
function tableOfId(value: unknown): string {
  try {
    const { schema, name, key } = readNodeId(String(value))
    return JSON.stringify([schema, name, key.length])
  } catch {
    return 'no id'
  }
}

type NodeInput = { nodeId: NodeId; read(variables: Variables): NodeId; path: string }

function nodeShape(
  planner: Planner,
  { table, fields }: { table: Table; fields: readonly Field[] },
  input: NodeInput,
): Shape {
  const where = keyEquals(planner, table.primaryKey ?? [], input)
  const rows = allRows(planner, table, where, { kind: 'table', table })
  return { kind: 'object', rows, join: [], fields, isLookUp: false }
}

function keyEquals(planner: Planner, columns: readonly Column[], input: NodeInput): Predicate {
  const { key } = input.nodeId
  const missingColumns = columns.slice(key.length).map(({ name }) => JSON.stringify(name))
  if (missingColumns.length > 0)
    throw invalidId(input.path, `primary key columns ${missingColumns.join(', ')} are missing`)
  if (key.length > columns.length)
    throw invalidId(
      input.path,
      `unexpected column values ${JSON.stringify(key.slice(columns.length))}`,
    )
  const operands = columns.map((column, i): Predicate => {
    const parameter = keyParameter(planner, column, i, input)
    const left: Scalar = { kind: 'column', name: column.name, of: 'row' }
    return { kind: 'compare', operator: '_eq', left, right: { kind: 'parameter', parameter } }
  })
  return { kind: 'and', operands }
}

function keyParameter(
  planner: Planner,
  column: Column,
  place: number,
  { read, path }: NodeInput,
): Parameter {
  const type = comparisonType(column.type)
  const refuse = (reason: string) => {
    const message = `value of column "${column.name}" in node id: ${reason}`
    return new EngineError('parse-failed', message, { path })
  }
  const readText = (variables: Variables) => encodeOrThrow(type, read(variables).key[place], refuse)
  // Reads the value once during planning, so that the first of several wrong values is reported.
  readText(planner.variables)
  return { type, read: ({ variables }) => readText(variables) }
}

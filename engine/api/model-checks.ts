import { z } from 'zod'
import { QualifiedName } from '../document/document.ts'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import type { Model, Table } from '../model/model.ts'
import { shortKey } from '../postgres/catalog.ts'

/** A check of a command that needs the model, because the metadata document alone does not suffice. */
export type ModelCheck = (model: Model, args: unknown) => void

const Named = z.object({ table: QualifiedName, name: z.string() })

/** Checks that no field of the table has a new relationship's name. @throws already-exists */
export function freeName(model: Model, args: unknown) {
  const { table: given, name } = parseArgs(Named, args)
  const key = shortKey(given)
  const table = model.tables.get(key)
  if (!table || !isTaken(table, name)) return
  const message = `field with name "${name}" already exists in table "${key}"`
  throw new EngineError('already-exists', message, { path: '$.args' })
}

const Renamed = Named.extend({ new_name: z.string() })

/** The same for a relationship that is renamed. @throws already-exists */
export function freeNewName(model: Model, args: unknown) {
  const { table: given, name, new_name } = parseArgs(Renamed, args)
  const key = shortKey(given)
  const table = model.tables.get(key)
  if (!table?.relationships.has(new_name) && !(table && isTaken(table, new_name))) return
  const message = `cannot rename relationship "${name}" to "${new_name}" in table "${key}" as a column/relationship with the name already exists`
  throw new EngineError('already-exists', message, { path: '$.args' })
}

function isTaken({ columns, computedFields }: Table, name: string): boolean {
  return [...columns.values()].some((column) => column.name === name) || computedFields.has(name)
}

const Permission = z.object({ function: QualifiedName, role: z.string() })

/** Checks that a role that is to call a function may read the table that it returns. @throws not-supported */
export function readableTable(model: Model, args: unknown) {
  const { function: given, role } = parseArgs(Permission, args)
  const key = shortKey(given)
  const found = model.functions.find(({ schema, name }) => shortKey(`${schema}.${name}`) === key)
  if (!found || found.table.permissions.get(role)?.select) return
  const message = `function permission can only be added when the function's return table "${found.table.graphqlName}" has select permission configured for role: "${role}"`
  throw new EngineError('not-supported', message, { path: '$.args' })
}

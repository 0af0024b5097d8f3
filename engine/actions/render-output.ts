import { isRecord } from '../json/record.ts'
import type { OutputField } from '../plan/action/action.ts'

/** A gap in an answer's text for related rows: the object that they belong to, and the selected fields. */
export type Hole = { field: Related; owner: Readonly<Record<string, unknown>> }

/** A field that is filled with rows of a table. */
export type Related = Extract<OutputField, { kind: 'related' }>

/** A piece of the answer's JSON text. */
export type Piece = string | Hole

type Fields = readonly OutputField[] | null

/**
 * The selected fields of a handler's answer, as JSON text with holes for related rows. A field that the
 * handler left out is null. Inside nested objects, as in Hasura, an object that the handler left out, or that
 * is no object, is left out as well.
 */
export function pieces(value: unknown, fields: Fields): Piece[] {
  return at(value, fields, { top: true }) ?? [JSON.stringify(value)]
}

type Depth = { top: boolean }

/** The pieces for one value; null if it is no object although fields of it are selected. */
function at(value: unknown, fields: Fields, depth: Depth): Piece[] | null {
  if (value === null || value === undefined) return ['null']
  if (fields === null) return [JSON.stringify(value)]
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => {
      const found = at(item, fields, depth)
      return found ? [found] : []
    })
    return listed('[', items, ']')
  }
  if (!isRecord(value)) return null
  const members = fields.flatMap((field) => {
    const found = member(value, field, depth)
    return found ? [[`${JSON.stringify(field.as)}:`, ...found]] : []
  })
  return listed('{', members, '}')
}

function member(
  owner: Record<string, unknown>,
  field: OutputField,
  { top }: Depth,
): Piece[] | null {
  switch (field.kind) {
    case 'typename':
      return [JSON.stringify(field.name)]
    case 'value':
      if (Object.hasOwn(owner, field.name))
        return at(owner[field.name], field.fields, { top: false })
      return top || field.fields === null ? ['null'] : null
    case 'related':
      return [{ field, owner }]
  }
}

function listed(open: string, items: readonly Piece[][], close: string): Piece[] {
  return [open, ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])), close]
}

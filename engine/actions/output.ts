import type { OutputField } from '../plan/action.ts'
import { isRecord } from '../plan/decision.ts'

/** The place of related rows in an answer's text: whose they are, and what is asked of them. */
export type Hole = { field: Related; owner: Readonly<Record<string, unknown>> }

/** A field that is filled with rows of a table. */
export type Related = Extract<OutputField, { is: 'related' }>

/** A piece of the answer's JSON text. */
export type Piece = string | Hole

type Fields = readonly OutputField[] | null

/**
 * What is asked for of a handler's answer, as JSON text with holes for related rows. A field that the
 * handler left out is null; but further down than the answer itself an object that it left out, or that is
 * none, is left out, as in Hasura.
 */
export function pieces(value: unknown, fields: Fields): Piece[] {
  return at(value, fields, { top: true }) ?? [JSON.stringify(value)]
}

type Depth = { top: boolean }

/** Null for what is no object where one is asked for. */
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
  switch (field.is) {
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

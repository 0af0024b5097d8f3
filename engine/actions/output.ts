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
 * handler left out is null in the answer itself; further down it is left out, as in Hasura.
 */
export function pieces(value: unknown, fields: Fields): Piece[] {
  return at(value, fields, { top: true })
}

type Depth = { top: boolean }

function at(value: unknown, fields: Fields, depth: Depth): Piece[] {
  if (value === null || value === undefined) return ['null']
  if (fields === null) return [JSON.stringify(value)]
  if (Array.isArray(value))
    return listed(
      '[',
      value.map((item) => at(item, fields, depth)),
      ']',
    )
  if (!isRecord(value)) return [JSON.stringify(value)]
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
      return top ? ['null'] : null
    case 'related':
      return [{ field, owner }]
  }
}

function listed(open: string, items: readonly Piece[][], close: string): Piece[] {
  return [open, ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])), close]
}

import type { OutputField } from '../plan/action.ts'
import { isRecord } from '../plan/decision.ts'

/** The place of related rows in an answer's text: whose they are, and what is asked of them. */
export type Hole = { field: Related; owner: Readonly<Record<string, unknown>> }

export type Related = Extract<OutputField, { is: 'related' }>

/** A piece of the answer's JSON text. */
export type Piece = string | Hole

/** What is asked for of a handler's answer, as JSON text with holes for related rows. */
export function pieces(value: unknown, fields: readonly OutputField[] | null): Piece[] {
  if (value === null || value === undefined) return ['null']
  if (fields === null) return [JSON.stringify(value)]
  if (Array.isArray(value))
    return listed(
      '[',
      value.map((item) => pieces(item, fields)),
      ']',
    )
  if (!isRecord(value)) return [JSON.stringify(value)]
  const members = fields.map((field) => [`${JSON.stringify(field.as)}:`, ...member(value, field)])
  return listed('{', members, '}')
}

function member(owner: Record<string, unknown>, field: OutputField): Piece[] {
  switch (field.is) {
    case 'typename':
      return [JSON.stringify(field.name)]
    case 'value':
      return pieces(Object.hasOwn(owner, field.name) ? owner[field.name] : null, field.fields)
    case 'related':
      return [{ field, owner }]
  }
}

function listed(open: string, items: readonly Piece[][], close: string): Piece[] {
  return [open, ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])), close]
}

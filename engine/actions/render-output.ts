import { isRecord } from '../json/record.ts'
import type { OutputField } from '../plan/action/action.ts'

/** A gap in an answer's text for related rows: the object that they belong to, and the selected fields. */
export type RelatedRowsPlaceholder = {
  field: RelatedField
  owner: Readonly<Record<string, unknown>>
}

/** A field that is filled with rows of a table. */
export type RelatedField = Extract<OutputField, { kind: 'related' }>

/** A piece of the answer's JSON text. */
export type OutputPart = string | RelatedRowsPlaceholder

type Fields = readonly OutputField[] | null

/**
 * The selected fields of a handler's answer, as JSON text with holes for related rows. A field that the
 * handler left out is null. Inside nested objects, as in Hasura, an object that the handler left out, or that
 * is no object, is left out as well.
 */
export function renderOutput(value: unknown, fields: Fields): OutputPart[] {
  return renderValue(value, fields, { top: true }) ?? [JSON.stringify(value)]
}

type Depth = { top: boolean }

/** The pieces for one value; null if it is no object although fields of it are selected. */
function renderValue(value: unknown, fields: Fields, depth: Depth): OutputPart[] | null {
  if (value === null || value === undefined) return ['null']
  if (fields === null) return [JSON.stringify(value)]
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => {
      const found = renderValue(item, fields, depth)
      return found ? [found] : []
    })
    return joinItems('[', items, ']')
  }
  if (!isRecord(value)) return null
  const members = fields.flatMap((field) => {
    const found = renderField(value, field, depth)
    return found ? [[`${JSON.stringify(field.as)}:`, ...found]] : []
  })
  return joinItems('{', members, '}')
}

function renderField(
  owner: Record<string, unknown>,
  field: OutputField,
  { top }: Depth,
): OutputPart[] | null {
  switch (field.kind) {
    case 'typename':
      return [JSON.stringify(field.name)]
    case 'value':
      if (Object.hasOwn(owner, field.name))
        return renderValue(owner[field.name], field.fields, { top: false })
      return top || field.fields === null ? ['null'] : null
    case 'related':
      return [{ field, owner }]
  }
}

function joinItems(open: string, items: readonly OutputPart[][], close: string): OutputPart[] {
  return [open, ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])), close]
}

import { isRecord } from '../json/record.ts'
import type { OutputField } from '../plan/action/action.ts'

/** A place in the text that related rows will fill: the object that they belong to, and the selected field. */
export type RelatedRowsPlaceholder = {
  field: RelatedField
  owner: Readonly<Record<string, unknown>>
}

/** A field that is filled with rows of a table. */
export type RelatedField = Extract<OutputField, { kind: 'related' }>

/** A part of the answer: JSON text, or a place to fill. */
export type OutputPart = string | RelatedRowsPlaceholder

type Fields = readonly OutputField[] | null

/**
 * Renders the selected fields of a handler's answer as JSON text with placeholders for related rows. A field that the
 * handler left out is null. But, as in Hasura, a field with selected fields of its own is missing in the answer if its
 * value is not an object, or if the handler left it out of a nested object.
 */
export function renderOutput(value: unknown, fields: Fields): OutputPart[] {
  return renderValue(value, fields, { isTop: true }) ?? [JSON.stringify(value)]
}

type Depth = { isTop: boolean }

/** The parts for one value; null if fields of it are selected although it is not an object. */
function renderValue(value: unknown, fields: Fields, depth: Depth): OutputPart[] | null {
  if (value === null || value === undefined) return ['null']
  if (fields === null) return [JSON.stringify(value)]
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value
    const items = elements.flatMap((element) => {
      const parts = renderValue(element, fields, depth)
      return parts ? [parts] : []
    })
    return joinItems('[', items, ']')
  }
  if (!isRecord(value)) return null
  const members = fields.flatMap((field) => {
    const parts = renderField(value, field, depth)
    return parts ? [[`${JSON.stringify(field.as)}:`, ...parts]] : []
  })
  return joinItems('{', members, '}')
}

function renderField(
  owner: Record<string, unknown>,
  field: OutputField,
  { isTop }: Depth,
): OutputPart[] | null {
  switch (field.kind) {
    case 'typename':
      return [JSON.stringify(field.name)]
    case 'value':
      if (Object.hasOwn(owner, field.name))
        return renderValue(owner[field.name], field.fields, { isTop: false })
      return isTop || field.fields === null ? ['null'] : null
    case 'related':
      return [{ field, owner }]
  }
}

function joinItems(open: string, items: readonly OutputPart[][], close: string): OutputPart[] {
  return [open, ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])), close]
}

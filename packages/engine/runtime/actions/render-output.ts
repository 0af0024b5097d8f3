import type { OutputField } from '../../compiler/plan/root/action.ts'
import { isList, isRecord } from '../../json/record.ts'

/** A placeholder in the text for related rows: the object that they belong to, and the selected field. */
export type RelatedRowsPlaceholder = {
  field: RelatedField
  owner: Readonly<Record<string, unknown>>
}

/** A field with rows of a table. */
type RelatedField = Extract<OutputField, { kind: 'related' }>

/** A part of the result: JSON text, or a placeholder. */
export type OutputPart = string | RelatedRowsPlaceholder

type Fields = readonly OutputField[] | null

/**
 * Renders the selected fields of a handler's response as JSON text with placeholders for related rows. A missing scalar is null.
 * Like Hasura, looks up a field with a selection by its alias, and omits the field if the response has a scalar or nothing there.
 */
export function renderOutput(value: unknown, fields: Fields): OutputPart[] {
  return renderValue(value, fields, BY_ALIAS) ?? [renderJson(value)]
}

/** Renders rows of the database like `renderOutput`, but looks up each field by its name. */
export function renderRow(value: unknown, fields: Fields): OutputPart[] {
  return renderValue(value, fields, BY_NAME) ?? ['null']
}

type FieldReader = {
  keyOf(field: Extract<OutputField, { kind: 'value' }>): string
  text(value: unknown): string
}

const BY_ALIAS: FieldReader = {
  keyOf: ({ as, name, fields }) => (fields === null ? name : as),
  text: renderJson,
}

const BY_NAME: FieldReader = { keyOf: ({ name }) => name, text: (value) => JSON.stringify(value) }

/** Renders a value. Returns null if fields of it are selected, but it is a scalar. */
function renderValue(value: unknown, fields: Fields, reader: FieldReader): OutputPart[] | null {
  if (value === null || value === undefined) return ['null']
  if (fields === null) return [reader.text(value)]
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value
    const items = elements.flatMap((element) => {
      const parts = renderValue(element, fields, reader)
      return parts ? [parts] : []
    })
    return joinItems('[', items, ']')
  }
  if (!isRecord(value)) return null
  const members = fields.flatMap((field) => {
    const parts = renderField(value, field, reader)
    return parts ? [[`${JSON.stringify(field.as)}:`, ...parts]] : []
  })
  return joinItems('{', members, '}')
}

/** Renders a value without a selection as JSON text. Like Hasura, sorts the keys of objects. */
function renderJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value))
}

function withSortedKeys(value: unknown): unknown {
  if (isList(value)) return value.map(withSortedKeys)
  if (!isRecord(value)) return value
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([key, member]) => [key, withSortedKeys(member)]))
}

function renderField(
  owner: Record<string, unknown>,
  field: OutputField,
  reader: FieldReader,
): OutputPart[] | null {
  switch (field.kind) {
    case 'typename':
      return [JSON.stringify(field.name)]
    case 'value':
      if (Object.hasOwn(owner, reader.keyOf(field)))
        return renderValue(owner[reader.keyOf(field)], field.fields, reader)
      return field.fields === null ? ['null'] : null
    case 'related':
      return [{ field, owner }]
  }
}

function joinItems(open: string, items: readonly OutputPart[][], close: string): OutputPart[] {
  return [open, ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])), close]
}

import { isRecord, memberAt } from '../../json/record.ts'
import type { DocumentPath } from '../ignored-keys.ts'

/**
 * Describes the place of a value in the metadata: the file, and the path from the root of the whole metadata. In the
 * path, names of entries replace their numbers. Example:
 * `databases/default/tables/public_book.yaml: sources[default].tables[book].comment`.
 *
 * @param fileOf returns the file for a value that is the whole content of a file
 */
export function describePlace(
  document: unknown,
  path: DocumentPath,
  fileOf: (value: unknown) => string | undefined,
): string {
  let file: string | undefined
  let value = document
  let steps = ''
  for (const step of path) {
    if (typeof step === 'symbol') break
    value = memberAt(value, step)
    file = fileOf(value) ?? file
    steps += typeof step === 'number' ? `[${nameOf(value) ?? step}]` : `.${step}`
  }
  const place = steps.replace(/^\./, '')
  return [file, place].filter((part) => part).join(': ')
}

/** Returns the name that identifies an entry of a list; undefined if it has none. */
function nameOf(entry: unknown): string | undefined {
  if (!isRecord(entry)) return undefined
  const { name, role, table, role_name, root_field_name, collection } = entry
  const identifiers = [name, role, table, entry.function, role_name, root_field_name, collection]
  const identifier = identifiers.find((value) => value !== undefined)
  return isRecord(identifier) ? qualifiedName(identifier) : identifier?.toString()
}

function qualifiedName({ schema, name }: Record<string, unknown>): string {
  return schema === undefined || schema === 'public' ? `${name}` : `${schema}.${name}`
}

import { createTwoFilesPatch } from 'diff'
import { isList, isRecord } from '../json/record.ts'
import { withQualifiedNames } from '../metadata-store/edit/tracked-names.ts'
import { metadataFiles } from './metadata-files.ts'

/**
 * Compares two versions of metadata as a unified diff of the files of a metadata folder. Ignores the order of keys and of list
 * items, empty lists, nulls, and whether the name of a table or function contains the schema `public`.
 *
 * @returns the diff; an empty text if the versions are equal
 */
export function compareMetadata(
  before: { name: string; document: Readonly<Record<string, unknown>> },
  after: { name: string; document: Readonly<Record<string, unknown>> },
): string {
  const old = metadataFiles(toCanonical(before.document))
  const current = metadataFiles(toCanonical(after.document))
  const paths = [...new Set([...old.keys(), ...current.keys()])].sort()
  return paths
    .map((path) => ({ path, from: old.get(path) ?? '', to: current.get(path) ?? '' }))
    .filter(({ from, to }) => from !== to)
    .map(({ path, from, to }) =>
      createTwoFilesPatch(`${before.name}/${path}`, `${after.name}/${path}`, from, to),
    )
    .join('\n')
}

function toCanonical(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sortedDocument = sortDeeply(withQualifiedNames(document))
  return isRecord(sortedDocument) ? sortedDocument : {}
}

/** Sorts keys and lists, and removes nulls and empty lists. */
function sortDeeply(value: unknown): unknown {
  if (isList(value))
    return value.map(sortDeeply).sort((a, b) => compareText(sortKey(a), sortKey(b)))
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
    .map(([key, item]) => [key, sortDeeply(item)] as const)
    .filter(
      ([, item]) => item !== null && item !== undefined && !(isList(item) && item.length === 0),
    )
    .sort(([a], [b]) => compareText(a, b))
  return Object.fromEntries(entries)
}

/** Returns the text that an item of a list is sorted by. An object's name, role or table comes first in this text. */
function sortKey(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value)
  const { name, role, table } = value
  return JSON.stringify([name ?? role ?? table ?? null, value])
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

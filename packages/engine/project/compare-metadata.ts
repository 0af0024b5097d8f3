import { createTwoFilesPatch } from 'diff'
import { isList, isRecord } from '../json/record.ts'
import { withQualifiedNames } from '../metadata-store/edit/tracked-names.ts'
import { metadataFiles } from './metadata-files.ts'

/**
 * What differs between two documents of metadata, as a unified diff of the files of a metadata folder. The order of keys and of
 * objects is no difference, and neither is whether something empty or the schema `public` of a table is written down.
 *
 * @returns an empty text where they say the same
 */
export function compareMetadata(
  before: { name: string; document: Readonly<Record<string, unknown>> },
  after: { name: string; document: Readonly<Record<string, unknown>> },
): string {
  const old = metadataFiles(canonical(before.document))
  const fresh = metadataFiles(canonical(after.document))
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  return paths
    .map((path) => ({ path, from: old.get(path) ?? '', to: fresh.get(path) ?? '' }))
    .filter(({ from, to }) => from !== to)
    .map(({ path, from, to }) =>
      createTwoFilesPatch(`${before.name}/${path}`, `${after.name}/${path}`, from, to),
    )
    .join('\n')
}

function canonical(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ordered = inOrder(withQualifiedNames(document))
  return isRecord(ordered) ? ordered : {}
}

/** The same with keys and lists in order, and without what is null or an empty list. */
function inOrder(value: unknown): unknown {
  if (isList(value)) return value.map(inOrder).sort((a, b) => compareText(sortKey(a), sortKey(b)))
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
    .map(([key, item]) => [key, inOrder(item)] as const)
    .filter(
      ([, item]) => item !== null && item !== undefined && !(isList(item) && item.length === 0),
    )
    .sort(([a], [b]) => compareText(a, b))
  return Object.fromEntries(entries)
}

/** What an object is listed by comes first in its text. */
function sortKey(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value)
  const { name, role, table } = value
  return JSON.stringify([name ?? role ?? table ?? null, value])
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

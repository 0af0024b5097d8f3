import type { Bindings } from '../../compiler/ir/ir.ts'
import { readRelatedRows } from '../database/related-rows.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { OutputPart, RelatedRowsPlaceholder } from './render-output.ts'

/**
 * Fills the placeholders of a result with rows of the databases. Runs one statement for each selected relationship, for all
 * objects together.
 */
export async function fillPlaceholders(
  connectionsTo: ConnectionsTo,
  parts: readonly OutputPart[],
  bindings: Bindings,
): Promise<string> {
  const placeholders = parts.filter((part) => typeof part !== 'string')
  const texts = new Map<RelatedRowsPlaceholder, string>()
  for (const field of new Set(placeholders.map((placeholder) => placeholder.field))) {
    const ofField = placeholders.filter((placeholder) => placeholder.field === field)
    const { relationship, shape } = field
    const related = { mapping: relationship.mapping, shape }
    const { pool } = connectionsTo(relationship.remote.source.name)
    const owners = ofField.map(({ owner }) => owner)
    const answers = await readRelatedRows(pool, related, owners, bindings)
    for (const [i, placeholder] of ofField.entries()) texts.set(placeholder, answers[i] ?? 'null')
  }
  return parts.map((part) => (typeof part === 'string' ? part : texts.get(part))).join('')
}

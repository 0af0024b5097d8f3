import type { Bindings } from '../../compiler/ir/ir.ts'
import type { RemoteJoin, SentField, Shown } from '../../compiler/plan/sent-field.ts'
import { readRelatedParameters } from '../database/related-rows.ts'
import { printRequest } from './print-request.ts'

/**
 * Reads all values that requests to remote servers, and what is joined with their answers, will be made with, so that nothing
 * is changed anywhere if one of them is wrong or missing.
 *
 * @throws EngineError for the first that is
 */
export function checkFieldValues(field: SentField, bindings: Bindings): void {
  printRequest({ root: 'query', fields: [field], name: null }, bindings)
  if (field.below) checkShown(field.below.shown, bindings)
}

/** The same for a relationship of rows. */
export function checkJoinValues(join: RemoteJoin, bindings: Bindings): void {
  if (join.kind === 'field') checkFieldValues(join.field, bindings)
  else readRelatedParameters({ mapping: join.rows.mapping, shape: join.shape }, bindings)
}

function checkShown(shown: Shown, bindings: Bindings): void {
  const items = shown.kind === 'object' ? shown.items : [...shown.byType.values()].flat()
  for (const item of items) {
    if (item.kind === 'join') checkJoinValues(item.join, bindings)
    else if (item.kind === 'value' && item.below) checkShown(item.below, bindings)
  }
}

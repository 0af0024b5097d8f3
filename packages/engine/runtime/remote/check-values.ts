import type { Bindings } from '../../compiler/ir/ir.ts'
import type { RemoteJoin, ResponseShape, SentField } from '../../compiler/plan/sent-field.ts'
import { readRelatedParameters } from '../database/related-rows.ts'
import { printRequest } from './print-request.ts'

/**
 * Reads all values of a remote field and its relationships before anything runs, so that a wrong or missing value changes nothing.
 *
 * @throws EngineError for the first wrong or missing value
 */
export function checkFieldValues(field: SentField, bindings: Bindings): void {
  printRequest({ root: 'query', fields: [field], name: null }, bindings)
  if (field.below) checkShapeValues(field.below.response, bindings)
}

/** Reads all values of a relationship of rows. @throws EngineError like `checkFieldValues` */
export function checkJoinValues(join: RemoteJoin, bindings: Bindings): void {
  if (join.kind === 'field') checkFieldValues(join.field, bindings)
  else readRelatedParameters({ mapping: join.rows.mapping, shape: join.shape }, bindings)
}

function checkShapeValues(shape: ResponseShape, bindings: Bindings): void {
  const items = shape.kind === 'object' ? shape.items : [...shape.byType.values()].flat()
  for (const item of items) {
    if (item.kind === 'join') checkJoinValues(item.join, bindings)
    else if (item.kind === 'value' && item.below) checkShapeValues(item.below, bindings)
  }
}

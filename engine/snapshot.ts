import type { Metadata } from './metadata/metadata.ts'
import type { Inconsistency } from './model/inconsistency.ts'
import type { Model } from './model/model.ts'

/** One consistent state of the engine; never changed, only replaced. */
export type Snapshot = {
  metadata: Metadata
  model: Model
  inconsistencies: readonly Inconsistency[]
}

/** Wraps a resolved model with the caches that live and die with it. */
export function takeSnapshot(model: Model): Snapshot {
  return { metadata: model.metadata, model, inconsistencies: model.inconsistencies }
}

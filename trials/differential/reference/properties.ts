import { aggregatesProperty } from './aggregates.ts'
import { changesProperty } from './changes.ts'
import { inheritanceProperty } from './inheritance.ts'
import type { ReferenceProperty } from './property.ts'
import { readsProperty } from './reads.ts'

/** The comparisons of the engine with the reference. */
export const REFERENCE_PROPERTIES: readonly ReferenceProperty[] = [
  readsProperty,
  changesProperty,
  inheritanceProperty,
  aggregatesProperty,
]

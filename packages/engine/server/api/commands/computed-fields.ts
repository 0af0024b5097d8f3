import { dropComputedField, requireTrackedTable } from '../../../metadata-store/edit/drops.ts'
import { addEntry, inSequence, pickArgs } from '../../../metadata-store/edit/edits.ts'
import { computedFields } from '../../../metadata-store/edit/places.ts'
import { applyDrop } from '../apply-edit.ts'
import type { Command } from '../command.ts'

const addComputedField = inSequence(
  requireTrackedTable,
  addEntry(computedFields, pickArgs('name', 'definition', 'comment')),
)

/** Commands on computed fields. */
export const computedFieldCommands: readonly Command[] = [
  { type: 'pg_add_computed_field', edit: addComputedField, createdType: 'computed_field' },
  { type: 'pg_drop_computed_field', edit: dropComputedField, apply: applyDrop },
]

import { z } from 'zod'

/** The old and new value per column. An inserted row has no old values, a deleted row no new values. */
const Changes = z
  .record(z.string(), z.object({ old: z.unknown(), new: z.unknown() }).partial())
  .catch({})

/** Reads the changes of an entry of the audit trail. */
export function parseChanges(changes: unknown) {
  return Changes.parse(changes)
}

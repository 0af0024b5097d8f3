import { z } from 'zod'

/** Objects of the metadata that are not served, as the metadata API lists them. */
export const InconsistentObjects = z
  .array(z.looseObject({ name: z.string().optional(), type: z.string(), reason: z.string() }))
  .default([])

/** What is not served, an object a line. */
export function listInconsistencies(
  objects: readonly { name?: string | undefined; type: string; reason: string }[],
): string {
  const lines = objects.map(({ name, type, reason }) => `  ${name ?? type}: ${reason}`)
  return `Not served, since the metadata is inconsistent:\n${lines.join('\n')}`
}

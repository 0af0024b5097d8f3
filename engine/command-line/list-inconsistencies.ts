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
  const isUnset = objects.some(({ reason }) => /environment variable/i.test(reason))
  return [
    'Not served, since the metadata is inconsistent:',
    ...lines,
    ...(isUnset ? [UNSET] : []),
  ].join('\n')
}

const UNSET =
  'Variables that the metadata names are those of the process that serves it; dev and check also read .env (--envfile FILE).'

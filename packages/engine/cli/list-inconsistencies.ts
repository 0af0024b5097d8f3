import { z } from 'zod'
import { explainWithheld } from './shell-variables.ts'

/** The inconsistent objects of the metadata, as the metadata API lists them. */
export const InconsistentObjects = z
  .array(z.looseObject({ name: z.string().optional(), type: z.string(), reason: z.string() }))
  .default([])

/**
 * Lists inconsistent objects, one per line. If a variable is missing, adds advice on how to set it.
 *
 * @param withheldNames the names of the shell's variables that the project does not get
 */
export function listInconsistencies(
  objects: readonly { name?: string | undefined; type: string; reason: string }[],
  withheldNames: ReadonlySet<string> = new Set(),
): string {
  const lines = objects.map(({ name, type, reason }) => `  ${name ?? type}: ${reason}`)
  const unset = objects.map(({ reason }) => reason).filter((reason) => UNSET.test(reason))
  const remedy = explainWithheld(unset.join(' '), withheldNames) ?? SOURCES
  return [
    'The metadata is inconsistent. Not served:',
    ...lines,
    ...(unset.length > 0 ? [remedy] : []),
  ].join('\n')
}

const UNSET = /environment variable/i

const SOURCES =
  'The server must have the variables that the metadata names. For dev and check, put them in .env (--envfile FILE), or pass them from your shell with --env NAME.'

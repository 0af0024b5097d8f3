import { z } from 'zod'
import { explainWithheld } from './shell-variables.ts'

/** Objects of the metadata that are not served, as the metadata API lists them. */
export const InconsistentObjects = z
  .array(z.looseObject({ name: z.string().optional(), type: z.string(), reason: z.string() }))
  .default([])

/**
 * What is not served, an object a line.
 *
 * @param withheld the names of variables that the shell has, and the project does not get
 */
export function listInconsistencies(
  objects: readonly { name?: string | undefined; type: string; reason: string }[],
  withheld: ReadonlySet<string> = new Set(),
): string {
  const lines = objects.map(({ name, type, reason }) => `  ${name ?? type}: ${reason}`)
  const unset = objects.map(({ reason }) => reason).filter((reason) => UNSET.test(reason))
  const remedy = explainWithheld(unset.join(' '), withheld) ?? SOURCES
  return [
    'Not served, since the metadata is inconsistent:',
    ...lines,
    ...(unset.length > 0 ? [remedy] : []),
  ].join('\n')
}

const UNSET = /environment variable/i

const SOURCES =
  'The variables that metadata names are those of the server. For dev and check they come from .env (--envfile FILE), and from your shell with --env NAME.'

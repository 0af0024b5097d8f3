import type { Metadata } from '../metadata/metadata.ts'
import { type InconsistencyReport, Inconsistent } from './inconsistency.ts'

/** Reports, by name, everything in the metadata that this engine does not support. */
export function reportUnsupported(metadata: Metadata, errors: InconsistencyReport): void {
  for (const { type, name, definition, why } of findUnsupported(metadata))
    errors.attempt({ type, name, definition }, () => {
      throw new Inconsistent(why)
    })
}

type Finding = { type: string; name: string; definition: unknown; why: string }

function findUnsupported(metadata: Metadata): Finding[] {
  return [
    ...metadata.sources
      .filter(({ kind }, i) => (kind !== 'postgres' && kind !== 'pg') || i > 0)
      .map((source) => ({
        type: 'source',
        name: `source ${source.name}`,
        definition: source.configuration,
        why: 'only one source, of kind postgres, is supported',
      })),
  ]
}

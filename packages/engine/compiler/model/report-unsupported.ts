import type { Metadata } from '../../metadata/metadata.ts'
import { type InconsistencyReport, Inconsistent } from './inconsistency.ts'
import { isPostgres } from './source-address.ts'

/** Reports the sources in the metadata that the engine does not support, because they are not PostgreSQL databases. */
export function reportUnsupported(metadata: Metadata, errors: InconsistencyReport): void {
  for (const { reason, ...subject } of findUnsupported(metadata))
    errors.attempt(subject, () => {
      throw new Inconsistent(reason)
    })
}

type Finding = { type: string; name: string; definition: unknown; source: string; reason: string }

function findUnsupported(metadata: Metadata): Finding[] {
  return [
    ...metadata.sources
      .filter((source) => !isPostgres(source))
      .map((source) => ({
        type: 'source',
        name: `source ${source.name}`,
        definition: source.configuration,
        source: source.name,
        reason: 'only sources of kind postgres are supported',
      })),
  ]
}

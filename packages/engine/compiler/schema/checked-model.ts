import { buildModel, type ModelInput } from '../model/build-model.ts'
import { ConflictingObjects } from '../model/inconsistency.ts'
import type { Model } from '../model/model.ts'
import { invalidQueries } from './saved-queries.ts'
import { conflictBetweenSources } from './source-conflicts.ts'

/**
 * Resolves metadata, and reports what only the schema shows: types of one name that differ from source to source, of which the
 * later source is left out, and saved queries of what is not there.
 */
export function checkedModel(input: ModelInput): Model {
  const built = buildModel(input)
  const conflict = conflictBetweenSources(built)
  if (!conflict)
    return { ...built, inconsistencies: [...built.inconsistencies, ...invalidQueries(built)] }
  const reason = new ConflictingObjects('unexpected', conflict.message)
  return checkedModel({
    ...input,
    catalogs: new Map([...input.catalogs, [conflict.source, reason]]),
  })
}

import { buildModel, type ModelInput } from '../model/build-model.ts'
import { ConflictingObjects } from '../model/inconsistency.ts'
import type { Model } from '../model/model.ts'
import { invalidQueries } from './saved-queries.ts'
import { conflictBetweenSources } from './source-conflicts.ts'

/**
 * Builds the model, and reports faults that only the schema reveals. If types of the same name differ between sources,
 * the later source is left out. Saved queries with unknown fields are reported.
 */
export function buildCheckedModel(input: ModelInput): Model {
  const model = buildModel(input)
  const conflict = conflictBetweenSources(model)
  if (!conflict)
    return { ...model, inconsistencies: [...model.inconsistencies, ...invalidQueries(model)] }
  const reason = new ConflictingObjects('unexpected', conflict.message)
  return buildCheckedModel({
    ...input,
    catalogs: new Map([...input.catalogs, [conflict.source, reason]]),
  })
}

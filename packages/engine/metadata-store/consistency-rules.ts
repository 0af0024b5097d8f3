import { type Inconsistency, inconsistencyKey } from '../compiler/model/inconsistency.ts'
import { EngineError, type ErrorCode } from '../errors.ts'

/** Checks a change: gets the inconsistencies after and before the change. Throws to reject the change. */
export type ConsistencyRule = (
  after: readonly Inconsistency[],
  before: readonly Inconsistency[],
) => void

/**
 * The type (as in `Inconsistency`) of the objects that a change creates or changes; null if there are none, for example after a drop.
 */
export type CreatedType = string | null

/** A type that no object has. With it, a rejected `drop_inherited_role` gets status 400 and all new inconsistencies. */
export const DROPPED = 'dropped'

/** Accepts any change. */
export const allowInconsistent: ConsistencyRule = () => {}

/** Rejects a change if any object is inconsistent after it. */
export const requireConsistent: ConsistencyRule = (after) => {
  refuseWholeMetadata(after)
  if (after.length > 0)
    throw inconsistentError('unexpected', `${CANNOT} inconsistent metadata`, after)
}

/**
 * Rejects a change that makes any object inconsistent. If objects of a type that the change creates become inconsistent, their reasons are the error's message.
 * Otherwise the error lists all new inconsistencies. Conflicts of inherited permissions do not prevent a change.
 */
export function refuseNewInconsistencies(
  createdTypes: readonly CreatedType[],
  path = '$.args',
): ConsistencyRule {
  return (after, before) => {
    const oldKeys = new Set(before.map(inconsistencyKey))
    const newObjects = after.filter(
      (object) => !object.entity && !oldKeys.has(inconsistencyKey(object)),
    )
    if (newObjects.length === 0) return
    refuseWholeMetadata(newObjects, path)
    const ofCreatedType = newObjects.filter(({ type }) => createdTypes.includes(type))
    const reasons = ofCreatedType.map(({ reason }) => reason).join(', ')
    if (ofCreatedType.length > 0)
      throw inconsistentError('invalid-configuration', reasons, ofCreatedType)
    throw createdTypes.every((type) => type === null)
      ? inconsistentError('unexpected', NEWLY_FOUND, newObjects, { path, status: 500 })
      : inconsistentError('unexpected', `${CANNOT} new inconsistent metadata`, newObjects)
  }
}

/** Throws an error if the objects have a conflict for which Hasura rejects the whole metadata. */
function refuseWholeMetadata(inconsistencies: readonly Inconsistency[], path = '$.args') {
  const refusal = inconsistencies.find((object) => object.refusal)?.refusal
  if (refusal) throw new EngineError(refusal.code, refusal.message, { path })
}

const CANNOT = 'cannot continue due to'
const NEWLY_FOUND = `${CANNOT} newly found inconsistent metadata`

function inconsistentError(
  code: ErrorCode,
  message: string,
  inconsistencies: readonly Inconsistency[],
  { path, status } = { path: '$.args', status: 400 },
): EngineError {
  const internal = consistencyReport(inconsistencies).inconsistent_objects
  return new EngineError(code, message, { path, status, internal })
}

/** Describes inconsistent objects for the response of a command. */
export function consistencyReport(inconsistencies: readonly Inconsistency[]) {
  return {
    inconsistent_objects: inconsistencies.map(({ name, reason, type, ...object }) => ({
      ...describeObject(object),
      name,
      reason,
      type,
    })),
    is_consistent: inconsistencies.length === 0,
  }
}

type ObjectDescription = Pick<Inconsistency, 'definition' | 'entity' | 'conflicts'>

function describeObject({ definition, entity, conflicts }: ObjectDescription) {
  if (entity) return { entity }
  return conflicts ? { conflicts } : { definition }
}

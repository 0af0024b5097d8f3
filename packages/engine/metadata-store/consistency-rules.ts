import { type Inconsistency, inconsistencyKey } from '../compiler/model/inconsistency.ts'
import { EngineError, type ErrorCode } from '../errors.ts'

/** Decides about a change by what is inconsistent after it and before it; throws to refuse it. */
export type ConsistencyRule = (
  after: readonly Inconsistency[],
  before: readonly Inconsistency[],
) => void

/**
 * The type (as in `Inconsistency`) of the objects that a change makes;
 * null if it makes none, for example because it drops something.
 */
export type MadeType = string | null

/** The type of no object: of a command that drops something, and whose refusal Hasura words as that of one that makes something. */
export const DROPPED = 'dropped'

/** Accepts any change, whatever becomes inconsistent by it. */
export const allowInconsistent: ConsistencyRule = () => {}

/** Refuses a change after which anything is inconsistent. */
export const requireConsistent: ConsistencyRule = (after) => {
  refuseWholeMetadata(after)
  if (after.length > 0)
    throw inconsistentError('unexpected', `${CANNOT} inconsistent metadata`, after)
}

/**
 * Refuses a change by which anything becomes inconsistent. If it is an object of a type that the change makes, its
 * reason is the message; otherwise all are listed. Conflicts of inherited permissions do not prevent a change.
 */
export function refuseNewInconsistencies(
  made: readonly MadeType[],
  path = '$.args',
): ConsistencyRule {
  return (after, before) => {
    const known = new Set(before.map(inconsistencyKey))
    const fresh = after.filter((object) => !object.entity && !known.has(inconsistencyKey(object)))
    if (fresh.length === 0) return
    refuseWholeMetadata(fresh, path)
    const ofMadeType = fresh.filter(({ type }) => made.includes(type))
    const reasons = ofMadeType.map(({ reason }) => reason).join(', ')
    if (ofMadeType.length > 0) throw inconsistentError('invalid-configuration', reasons, ofMadeType)
    throw made.every((type) => type === null)
      ? inconsistentError('unexpected', NEWLY_FOUND, fresh, { path, status: 500 })
      : inconsistentError('unexpected', `${CANNOT} new inconsistent metadata`, fresh)
  }
}

/** Throws the error of conflicts for which Hasura refuses the whole metadata. */
function refuseWholeMetadata(found: readonly Inconsistency[], path = '$.args') {
  const refusal = found.find((object) => object.refusal)?.refusal
  if (refusal) throw new EngineError(refusal.code, refusal.message, { path })
}

const CANNOT = 'cannot continue due to'
const NEWLY_FOUND = `${CANNOT} newly found inconsistent metadata`

function inconsistentError(
  code: ErrorCode,
  message: string,
  found: readonly Inconsistency[],
  { path, status } = { path: '$.args', status: 400 },
): EngineError {
  const internal = consistencyReport(found).inconsistent_objects
  return new EngineError(code, message, { path, status, internal })
}

/** Inconsistent objects in the form in which commands answer them. */
export function consistencyReport(found: readonly Inconsistency[]) {
  return {
    inconsistent_objects: found.map(({ name, reason, type, ...object }) => ({
      ...describeObject(object),
      name,
      reason,
      type,
    })),
    is_consistent: found.length === 0,
  }
}

type Described = Pick<Inconsistency, 'definition' | 'entity' | 'conflicts'>

function describeObject({ definition, entity, conflicts }: Described) {
  if (entity) return { entity }
  return conflicts ? { conflicts } : { definition }
}

import { EngineError, type ErrorCode } from '../errors.ts'
import { type Inconsistency, identityOf } from '../model/inconsistency.ts'
import type { Made } from './made.ts'
import type { Judge } from './metadata-store.ts'

/** Whatever a change makes inconsistent. */
export const anything: Judge = () => {}

/** Refuses a change after which anything is inconsistent. */
export const consistent: Judge = (after) => {
  refuseWhole(after)
  if (after.length > 0) throw refused('unexpected', `${CANNOT} inconsistent metadata`, after)
}

/**
 * Refuses what makes anything inconsistent that was not: the object itself for its reason, others together.
 * Permissions in conflict are no object, so that they are found, but keep nobody from a change.
 */
export function nothingNew(made: readonly Made[]): Judge {
  return (after, before) => {
    const known = new Set(before.map(identityOf))
    const fresh = after.filter((object) => !object.entity && !known.has(identityOf(object)))
    if (fresh.length === 0) return
    refuseWhole(fresh)
    const own = fresh.filter(({ type }) => made.includes(type))
    const reasons = own.map(({ reason }) => reason).join(', ')
    if (own.length > 0) throw refused('invalid-configuration', reasons, own)
    throw made.every((type) => type === null)
      ? refused('unexpected', `${CANNOT} newly found inconsistent metadata`, fresh, 500)
      : refused('unexpected', `${CANNOT} new inconsistent metadata`, fresh)
  }
}

function refuseWhole(found: readonly Inconsistency[]) {
  const refusal = found.find((object) => object.refusal)?.refusal
  if (refusal) throw new EngineError(refusal.code, refusal.message, { path: '$.args' })
}

const CANNOT = 'cannot continue due to'

function refused(
  code: ErrorCode,
  message: string,
  found: readonly Inconsistency[],
  status = 400,
): EngineError {
  const internal = report(found).inconsistent_objects
  return new EngineError(code, message, { path: '$.args', status, internal })
}

/** What is inconsistent, as the commands answer it. */
export function report(found: readonly Inconsistency[]) {
  return {
    is_consistent: found.length === 0,
    inconsistent_objects: found.map(({ name, reason, type, ...object }) => ({
      ...whatOf(object),
      name,
      reason,
      type,
    })),
  }
}

type Shown = Pick<Inconsistency, 'definition' | 'entity' | 'conflicts'>

function whatOf({ definition, entity, conflicts }: Shown) {
  if (entity) return { entity }
  return conflicts ? { conflicts } : { definition }
}

import type { Judge } from '../document/metadata-store.ts'
import { EngineError, type ErrorCode } from '../errors.ts'
import { type Inconsistency, identityOf } from '../model/inconsistency.ts'
import type { Made } from './made.ts'

/** Accepts any change, whatever becomes inconsistent by it. */
export const anything: Judge = () => {}

/** Refuses a change after which anything is inconsistent. */
export const consistent: Judge = (after) => {
  refuseWhole(after)
  if (after.length > 0) throw refused('unexpected', `${CANNOT} inconsistent metadata`, after)
}

/**
 * Refuses a change by which anything becomes inconsistent. If it is an object that the command makes, its reason
 * is the message; otherwise all are listed. Conflicts of inherited permissions do not prevent a change.
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

/** Inconsistent objects in the form in which commands answer them. */
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

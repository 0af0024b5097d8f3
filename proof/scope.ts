import { externalNullifier, legacyExternalNullifier } from './encoding.ts'

/** What a proof must be bound to, and by which of the two protocols. */
export type Scope = { externalNullifier: bigint; isLegacy: boolean }

type Action = { id: string; app_id: string; action: string }

/**
 * The one scope of an action: were there two, a person would have two nullifiers for it.
 *
 * Ids `wid_…` are of the first protocol, which knew no apps; all others are an app and an action.
 */
export function scopeOf({ id, app_id, action }: Action): Scope {
  if (id.startsWith('wid_'))
    return { externalNullifier: legacyExternalNullifier(id), isLegacy: true }
  return { externalNullifier: externalNullifier(app_id, action), isLegacy: false }
}

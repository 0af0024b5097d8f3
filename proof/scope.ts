import { externalNullifier, legacyExternalNullifier } from './encoding.ts'

/** What a proof must be bound to, and under which of the two protocols. */
export type Scope = { externalNullifier: bigint; isLegacy: boolean }

type Action = { id: string; app_id: string; action: string }

/**
 * The one scope of an action: if there were two, a person would have two nullifiers for it.
 *
 * Actions with ids `wid_…` are of the first protocol, which knew no apps; for all others it is app and action.
 */
export function scopeOfAction({ id, app_id, action }: Action): Scope {
  if (id.startsWith('wid_'))
    return { externalNullifier: legacyExternalNullifier(id), isLegacy: true }
  return { externalNullifier: externalNullifier(app_id, action), isLegacy: false }
}

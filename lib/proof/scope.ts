import { externalNullifier, legacyExternalNullifier } from './encoding.ts'

/** The external nullifier that a proof must be bound to, and whether it is of the first (legacy) protocol. */
export type Scope = { externalNullifier: bigint; isLegacy: boolean }

type Action = { id: string; app_id: string; action: string }

/**
 * The scope of an action. It must be the only one: with two, a person would have two nullifiers for the action.
 *
 * Actions whose ids begin with `wid_` are of the first protocol, which had no apps; all others are bound to their app
 * and action.
 */
export function scopeOfAction({ id, app_id, action }: Action): Scope {
  if (id.startsWith('wid_'))
    return { externalNullifier: legacyExternalNullifier(id), isLegacy: true }
  return { externalNullifier: externalNullifier(app_id, action), isLegacy: false }
}

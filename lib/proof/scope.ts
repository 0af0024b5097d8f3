import { externalNullifier, legacyExternalNullifier } from './encoding.ts'

/** The external nullifier that a proof must have. `isLegacy` is true for the first protocol. */
export type Scope = { externalNullifier: bigint; isLegacy: boolean }

type Action = { id: string; app_id: string; action: string }

/**
 * Returns the scope of an action. An action must have exactly one scope: with two, a person would have two nullifiers.
 *
 * An action with an id that begins with `wid_` belongs to the first protocol, which had no apps. The scope of any other action
 * depends on its app and its name.
 */
export function scopeOfAction({ id, app_id, action }: Action): Scope {
  if (id.startsWith('wid_'))
    return { externalNullifier: legacyExternalNullifier(id), isLegacy: true }
  return { externalNullifier: externalNullifier(app_id, action), isLegacy: false }
}

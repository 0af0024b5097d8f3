/**
 * Why a thread verifies with mcl-wasm instead of the engine: the machine has no fused multiply-add, the engine answered a
 * known case wrongly, or it and mcl-wasm said different things of a proof.
 */
export const FALLBACK_REASONS = ['unavailable', 'known_case', 'disagreement'] as const

export type FallbackReason = (typeof FALLBACK_REASONS)[number]

/** What a thread tells of its engine. */
export type EngineEvent =
  | { event: 'cross_checked' }
  | { event: 'fell_back'; reason: FallbackReason }

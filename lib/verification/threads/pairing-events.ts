import { Counter, type Registry } from 'prom-client'
import type { Log } from '../../runtime/log/log.ts'

/**
 * The reasons to verify with mcl-wasm instead of the pairing engine: the machine or V8 has no fused multiply-add, the
 * pairing engine failed on a known case, or the pairing engine and mcl-wasm disagreed about a proof.
 */
export const FALLBACK_REASONS = ['unavailable', 'known_case', 'disagreement'] as const

export type FallbackReason = (typeof FALLBACK_REASONS)[number]

/** An event of a thread's pairing engine. */
export type PairingEvent =
  | { event: 'cross_checked' }
  | { event: 'fell_back'; reason: FallbackReason }

/** Counts the events of the threads' pairing engines, and logs the first fallback for each reason. All counters start at 0. */
export function recordPairingEvents(registry: Registry, log: Log): (event: PairingEvent) => void {
  const registers = [registry]
  const crossChecks = new Counter({
    name: 'pairing_cross_checks_total',
    help: 'Verifications that mcl-wasm cross-checked',
    registers,
  })
  const fallbacks = new Counter({
    name: 'pairing_fallbacks_total',
    help: 'Threads that fell back to mcl-wasm, by reason: the pairing engine is `unavailable` on this machine, failed a `known_case`, or was in `disagreement` with mcl-wasm',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of FALLBACK_REASONS) fallbacks.inc({ reason }, 0)
  const loggedReasons = new Set<FallbackReason>()
  return (event) => {
    if (event.event === 'cross_checked') return crossChecks.inc()
    const { reason } = event
    fallbacks.inc({ reason })
    if (!loggedReasons.has(reason)) {
      const level = reason === 'unavailable' ? 'warn' : 'error'
      log[level]({ reason }, 'a thread verifies with mcl-wasm instead of the pairing engine')
    }
    loggedReasons.add(reason)
  }
}

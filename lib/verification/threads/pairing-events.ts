import { Counter, type Registry } from 'prom-client'
import type { Log } from '../../runtime/log/log.ts'

/**
 * Why a thread verifies with mcl-wasm instead of the pairing engine: the machine has no fused multiply-add, the pairing
 * engine answered a known case wrongly, or the pairing engine and mcl-wasm disagreed about a proof.
 */
export const FALLBACK_REASONS = ['unavailable', 'known_case', 'disagreement'] as const

export type FallbackReason = (typeof FALLBACK_REASONS)[number]

/** What a thread reports about its pairing engine. */
export type PairingEvent =
  | { event: 'cross_checked' }
  | { event: 'fell_back'; reason: FallbackReason }

/**
 * Records what happens to the pairing engines of the threads: each event is counted, and the log has a line for the
 * first thread that falls back for a reason. Every series is there from the start, with 0.
 */
export function recordPairingEvents(registry: Registry, log: Log): (event: PairingEvent) => void {
  const registers = [registry]
  const crossChecks = new Counter({
    name: 'pairing_cross_checks_total',
    help: 'Verifications that mcl-wasm checked as well',
    registers,
  })
  const fallbacks = new Counter({
    name: 'pairing_fallbacks_total',
    help: 'Threads that verify with mcl-wasm, by why: the engine is `unavailable` on this machine, failed a `known_case`, or was in `disagreement` with mcl-wasm',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of FALLBACK_REASONS) fallbacks.inc({ reason }, 0)
  const logged = new Set<FallbackReason>()
  return (event) => {
    if (event.event === 'cross_checked') return crossChecks.inc()
    const { reason } = event
    fallbacks.inc({ reason })
    if (!logged.has(reason)) {
      const level = reason === 'unavailable' ? 'warn' : 'error'
      log[level]({ reason }, 'pairings are checked by mcl-wasm')
    }
    logged.add(reason)
  }
}

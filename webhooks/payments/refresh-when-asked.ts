import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { createPlaces } from '../../lib/runtime/limits/places.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { type RefreshServices, refreshLeased, type Stored } from './refresh-leased.ts'

/** How long a caller waits for the chain before they get what was known already. */
const MAX_WAIT_MS = 2_000

/** Callers who may wait for the chain at a time; others get what was known already. */
const MAX_WAITING = 200

/** The same for each team. */
const MAX_WAITING_OF_A_TEAM = 25

type Asked = { id: string; chain: string; is_final: boolean; team_id: string }
type Context = { log: Log; requestId: string }

/** Reads a transaction from its chain again; null when there is no newer answer in time. */
export type ReadAgain = (asked: Asked, context: Context) => Promise<Stored | null>

/**
 * Reads a transaction from its chain because somebody asks for it, unless that was done just now, is
 * being done, or there is nothing more to learn.
 *
 * @returns what the chain says now; null when there is no newer answer in time
 */
export function refreshWhenAsked(services: RefreshServices): ReadAgain {
  const enterTeam = createPlaces(MAX_WAITING_OF_A_TEAM)
  let waiting = 0
  return async (asked, context) => {
    const reader = services.payments.chains.get(asked.chain)
    if (asked.is_final || !reader || waiting >= MAX_WAITING) return null
    const leaveTeam = enterTeam(asked.team_id)
    if (!leaveTeam) return null
    waiting++
    const reading = readAgain(asked).finally(() => {
      waiting--
      leaveTeam()
    })
    // When it takes longer, it goes on: those who ask later get its result.
    return resultInTime(MAX_WAIT_MS, reading)

    async function readAgain({ id }: Asked): Promise<Stored | null> {
      const { log, requestId } = context
      const headers = { 'x-request-id': requestId }
      const lease = { id, max_age_seconds: services.payments.maxAgeSeconds }
      try {
        const { transactions } = await services.graphql.LeaseTransaction(lease, headers)
        if (!reader || transactions.length === 0) return null
        const { stored } = await refreshLeased(reader, transactions, services, { log, headers })
        return stored[0] ?? null
      } catch (err) {
        log.warn({ err }, 'transaction not refreshed')
        return null
      }
    }
  }
}

import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { createPlaces } from '../../lib/runtime/limits/places.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { type RefreshServices, refreshLeased, type StoredStatus } from './refresh-leased.ts'

/** How long a caller waits for the chain. After this time, the response has the stored status. */
const MAX_WAIT_MS = 2_000

/** How many callers may wait for the chain. Further callers get the stored status. */
const MAX_WAITING = 200

/** How many callers of a team may wait for the chain. */
const MAX_WAITING_PER_TEAM = 25

type TransactionRow = { id: string; chain: string; is_final: boolean; team_id: string }
type Context = { log: Log; requestId: string }

/** Reads the current status of a transaction from its chain. Resolves to null if there is no newer status in time. */
export type ReadStatus = (row: TransactionRow, context: Context) => Promise<StoredStatus | null>

/**
 * Creates the function that reads the status of a transaction when a caller requests it. It does not read the chain if
 * the status is final, was read just now, or is being read already. It also does not if this instance has no reader of the
 * chain, or too many callers wait.
 */
export function createStatusReader(services: RefreshServices): ReadStatus {
  const enterTeam = createPlaces(MAX_WAITING_PER_TEAM)
  let waitingCount = 0
  return async (row, context) => {
    const reader = services.payments.chains.get(row.chain)
    if (row.is_final || !reader || waitingCount >= MAX_WAITING) return null
    const leaveTeam = enterTeam(row.team_id)
    if (!leaveTeam) return null
    waitingCount++
    const reading = readStatus(row).finally(() => {
      waitingCount--
      leaveTeam()
    })
    // A slow read goes on after the timeout: later callers get its result.
    return resultInTime(MAX_WAIT_MS, reading)

    async function readStatus({ id }: TransactionRow): Promise<StoredStatus | null> {
      const { log, requestId } = context
      const headers = { 'x-request-id': requestId }
      const lease = { id, max_age_seconds: services.payments.maxAgeSeconds }
      try {
        const { transactions } = await services.graphql.LeaseTransaction(lease, headers)
        if (!reader || transactions.length === 0) return null
        const { statuses } = await refreshLeased(reader, transactions, services, { log, headers })
        return statuses[0] ?? null
      } catch (err) {
        log.warn({ err }, 'transaction not refreshed')
        return null
      }
    }
  }
}

/** A refused request, as the request log of an app keeps it. */
export type RefusedRequest = {
  /** The id of an app, of its relying party or of one of its actions, as the request spells it. */
  app: string
  endpoint: string
  code: string
  attribute: string | null
  detail: string
  /** The codes of the parts of the request, without repetitions. */
  reasons: readonly string[]
  request_id: string
}

/** Refused requests of the same reason, with the time of the first. */
export type RefusedRequests = RefusedRequest & { created_at: string; times: number }

export type RequestLog = {
  /** Adds a refused request. Never throws, and never waits. */
  record(request: RefusedRequest): void
  /** Stops the timer, and stores the remaining rows. Ignores a failure. */
  close(): Promise<void>
}

/** The fate of refused requests. `dropped`: the log was full, or could not be written. */
export type LogOutcome = 'stored' | 'dropped'

type Options = {
  /** Stores the rows of apps that exist. */
  store: (rows: RefusedRequests[]) => Promise<void>
  /** Counts requests by what became of them. */
  count: (outcome: LogOutcome, requests: number) => void
  /** Called at the first failure to store, and again only after a success. */
  onFailure: (error: unknown) => void
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long rows are gathered before they are stored. A process sends at most one statement in this time. */
const INTERVAL_MS = 1_000

/** The most rows of an app in a statement, so that a flood of wrong requests does not push out the rows of an hour. */
const MAX_ROWS_PER_APP = 10

/** The most rows in a statement. Ids of unknown apps take places, too: only the database finds them unknown. */
const MAX_ROWS = 300

/**
 * Gathers refused requests in memory, and stores them once a second. Requests that an app refused for the same reason
 * within the second share a row. Nothing is sent again: rows that cannot be stored are dropped, because a request log is
 * not worth a queue that grows while the database is away.
 */
export function createRequestLog({ store, count, onFailure, now }: Options): RequestLog {
  let rows = new Map<string, RefusedRequests>()
  let rowsOfApps = new Map<string, number>()
  let timer: NodeJS.Timeout | null = null
  let storing: Promise<void> | null = null
  let isFailing = false

  return {
    record(request) {
      const key = reasonOf(request)
      const known = rows.get(key)
      if (known) {
        known.times++
        return
      }
      const rowsOfApp = rowsOfApps.get(request.app) ?? 0
      if (rows.size >= MAX_ROWS || rowsOfApp >= MAX_ROWS_PER_APP) return count('dropped', 1)
      rowsOfApps.set(request.app, rowsOfApp + 1)
      rows.set(key, { ...request, created_at: new Date(now()).toISOString(), times: 1 })
      timer ??= setTimeout(storeInTurn, INTERVAL_MS).unref()
    },
    async close() {
      if (timer) clearTimeout(timer)
      await storing
      await storeRows()
    },
  }

  /** Stores the rows, and plans the next statement only after this one: a slow database gets fewer statements. */
  function storeInTurn() {
    storing = storeRows().finally(() => {
      storing = null
      timer = rows.size > 0 ? setTimeout(storeInTurn, INTERVAL_MS).unref() : null
    })
  }

  async function storeRows() {
    const batch = [...rows.values()]
    if (batch.length === 0) return
    rows = new Map()
    rowsOfApps = new Map()
    const requests = batch.reduce((sum, { times }) => sum + times, 0)
    try {
      await store(batch)
      isFailing = false
      count('stored', requests)
    } catch (error) {
      if (!isFailing) onFailure(error)
      isFailing = true
      count('dropped', requests)
    }
  }
}

/** Returns a text that only requests of the same app, refused for the same reason, share. */
function reasonOf({ request_id: _each, ...reason }: RefusedRequest): string {
  return JSON.stringify(Object.values(reason))
}

import type { Log } from '../../lib/runtime/log/log.ts'
import type { Sdk } from '../generated/sdk.ts'

/** The precision of `last_used_at`: a key costs one write in each hour of use. */
const RECORDED_EVERY_MS = 3_600_000

type UsedKey = { id: string; last_used_at: string | null }

/** Records the use of a key, at most once an hour. Callers do not wait for the write, and a failed write is only logged. */
export type RecordKeyUse = (key: UsedKey) => void

type RecorderServices = { graphql: Pick<Sdk, 'RecordKeyUse'>; now: () => number; log: Log }

/** Creates the recorder. The caller has already read the last recorded use, so most uses cost no query. */
export function createKeyUseRecorder({ graphql, now, log }: RecorderServices): RecordKeyUse {
  // Concurrent requests with the same key cause a single write.
  const writes = new Set<string>()
  return ({ id, last_used_at }) => {
    const hourAgo = now() - RECORDED_EVERY_MS
    const isRecorded = last_used_at !== null && Date.parse(last_used_at) >= hourAgo
    if (isRecorded || writes.has(id)) return
    writes.add(id)
    const times = { now: toTimestamp(now()), hour_ago: toTimestamp(hourAgo) }
    graphql
      .RecordKeyUse({ id, ...times })
      .catch((err: unknown) => log.warn({ err }, 'API key use not recorded'))
      .finally(() => writes.delete(id))
  }
}

function toTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}

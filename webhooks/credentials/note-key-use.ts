import type { Log } from '../../lib/runtime/log/log.ts'
import type { Sdk } from '../generated/sdk.ts'

/** How exactly people are told when a key was last used: a key costs one write in this time. */
const NOTED_EVERY_MS = 3_600_000

type UsedKey = { id: string; last_used_at: string | null }

/** Notes that a key is being used, if that was not noted within the hour. Nobody waits for it, and nothing fails by it. */
export type NoteKeyUse = (key: UsedKey) => void

type NoteServices = { graphql: Pick<Sdk, 'NoteKeyUse'>; now: () => number; log: Log }

/** The row that was read to check the key says when its use was last noted, so usually nothing is asked or written. */
export function createKeyUseNotes({ graphql, now, log }: NoteServices): NoteKeyUse {
  // Of requests with one key that come at once, one notes it.
  const underWay = new Set<string>()
  return ({ id, last_used_at }) => {
    const hourAgo = now() - NOTED_EVERY_MS
    const isNoted = last_used_at !== null && Date.parse(last_used_at) >= hourAgo
    if (isNoted || underWay.has(id)) return
    underWay.add(id)
    const times = { now: toTimestamp(now()), hour_ago: toTimestamp(hourAgo) }
    graphql
      .NoteKeyUse({ id, ...times })
      .catch((err: unknown) => log.warn({ err }, 'use of a key not noted'))
      .finally(() => underWay.delete(id))
  }
}

function toTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}

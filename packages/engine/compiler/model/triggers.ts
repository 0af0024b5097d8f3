import type { Cron } from 'croner'
import type { CronTriggerMetadata } from '../../metadata/cron-triggers.ts'
import type { HeaderMetadata } from '../../metadata/primitives.ts'

/** A trigger that can run; its schedule is in UTC. */
export type CronTrigger = { metadata: CronTriggerMetadata; schedule: Cron }

/** Sends a webhook an event for each change to rows of a table. */
export type EventTrigger = {
  name: string
  table: { schema: string; name: string }
  /** By operation of PostgreSQL. */
  operations: ReadonlyMap<RowOperation, ObservedColumns>
  /** Columns whose numbers are strings in events, as they are in answers to queries. */
  columnsAsText: readonly string[]
  /** Whether changes by replication create events, too. */
  onReplication: boolean
  allowsManual: boolean
  webhook: string
  headers: readonly HeaderMetadata[]
  retries: number
  intervalSeconds: number
  timeoutSeconds: number
  requestTransform: unknown
  responseTransform: unknown
}

/** The columns whose update creates an event (for updates only), and those that events contain. */
export type ObservedColumns = { watched: '*' | string[]; payload: '*' | string[] }

/** The operations on a row, by their names in PostgreSQL. */
export type RowOperation = 'INSERT' | 'UPDATE' | 'DELETE'

import type { Cron } from 'croner'
import type { CronTriggerMetadata } from '../../metadata/cron-triggers.ts'
import type { HeaderMetadata } from '../../metadata/primitives.ts'

/** A cron trigger with a valid schedule, in UTC. */
export type CronTrigger = { metadata: CronTriggerMetadata; schedule: Cron }

/** A trigger that sends an event to a webhook for each change to rows of a table. */
export type EventTrigger = {
  name: string
  table: { schema: string; name: string }
  /** By PostgreSQL's name of the operation. */
  operations: ReadonlyMap<RowOperation, ObservedColumns>
  /** The columns of numbers that events contain as strings; none unless `stringifyNumericTypes` is set. */
  columnsAsText: readonly string[]
  /** True if changes by replication create events too. */
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

/**
 * The watched columns, and the columns that the event contains. An update creates an event only if it changes a watched
 * column; inserts and deletions always create events.
 */
export type ObservedColumns = { watched: '*' | string[]; payload: '*' | string[] }

/** The operations on a row, by their names in PostgreSQL. */
export type RowOperation = 'INSERT' | 'UPDATE' | 'DELETE'

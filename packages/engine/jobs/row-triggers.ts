import { escapeIdentifier, type Pool, type PoolClient } from 'pg'
import type { EventTrigger } from '../compiler/model/triggers.ts'
import { rowTriggerDefinitions } from './row-trigger-sql.ts'

/** The event triggers that a database must have row triggers for. */
type RowTriggers = {
  triggers: readonly EventTrigger[]
  /** The names of all event triggers, also of inconsistent triggers. Events of other triggers are archived. */
  names: ReadonlySet<string>
  /** Reports whether the metadata with these triggers is still the latest. */
  isCurrent(client: PoolClient): Promise<boolean>
}

/**
 * Installs a function and a row trigger for each operation that an event trigger observes. The row trigger writes the events.
 * Replaces a function and its row trigger only if their SQL has changed. Drops them if the event trigger is gone.
 */
export async function installRowTriggers(pool: Pool, { triggers, names, isCurrent }: RowTriggers) {
  const definitions = new Map(
    triggers.flatMap(rowTriggerDefinitions).map((definition) => [definition.name, definition]),
  )
  const before = await differences(pool, definitions)
  if (before.stale.length === 0 && before.missing.length === 0) return
  await runExclusively(pool, async (client) => {
    // The version is checked inside the lock, because metadata is stored before its triggers are installed. So either no
    // triggers of newer metadata are installed yet, or this engine sees that its metadata is outdated, and does not change the
    // triggers.
    if (!(await isCurrent(client))) return
    const { stale: staleTriggers, missing: missingTriggers } = await differences(
      client,
      definitions,
    )
    for (const name of staleTriggers) {
      await client.query(`drop function if exists hdb_catalog.${escapeIdentifier(name)} cascade`)
      const trigger = eventTriggerName(name)
      if (!names.has(trigger)) await client.query(ARCHIVE_EVENTS, [trigger])
    }
    for (const { text } of missingTriggers) await client.query(text)
  })
}

type Definition = ReturnType<typeof rowTriggerDefinitions>[number]

/** Returns the names of functions to drop, and the definitions to install. */
async function differences(
  client: Pick<PoolClient, 'query'>,
  definitions: ReadonlyMap<string, Definition>,
) {
  const { rows } = await client.query<InstalledRowTrigger>(INSTALLED_ROW_TRIGGERS)
  const staleTriggers = rows.filter(({ name, digest }) => definitions.get(name)?.digest !== digest)
  const current = new Set(
    rows.filter((row) => !staleTriggers.includes(row)).map(({ name }) => name),
  )
  const missingTriggers = [...definitions.values()].filter(({ name }) => !current.has(name))
  return { stale: staleTriggers.map(({ name }) => name), missing: missingTriggers }
}

type InstalledRowTrigger = { name: string; digest: string | null }

const ARCHIVE_EVENTS = 'update hdb_catalog.event_log set archived = true where trigger_name = $1'

/** Returns the name of the event trigger that a function belongs to. */
function eventTriggerName(name: string): string {
  return name.slice('notify_hasura_'.length, name.lastIndexOf('_'))
}

/**
 * Selects the installed functions. The digest is null if the row trigger no longer exists, for example because its table was
 * dropped.
 */
const INSTALLED_ROW_TRIGGERS = `
select function.proname as name,
  case when exists (select from pg_trigger where tgfoid = function.oid)
    then obj_description(function.oid, 'pg_proc')
  end as digest
from pg_proc function
join pg_namespace on pg_namespace.oid = function.pronamespace
where nspname = 'hdb_catalog' and proname like 'notify\\_hasura\\_%'`

/** Runs `work` in a transaction, in one engine at a time, because all engines of a database see new metadata at the same time. */
async function runExclusively(pool: Pool, work: (client: PoolClient) => Promise<void>) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('hdb_catalog.row_triggers'))`)
    await work(client)
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw cause
  } finally {
    client.release()
  }
}

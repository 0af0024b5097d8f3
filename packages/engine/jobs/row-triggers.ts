import { escapeIdentifier, type Pool, type PoolClient } from 'pg'
import type { EventTrigger } from '../compiler/model/triggers.ts'
import { rowTriggerDefinitions } from './row-trigger-sql.ts'

/** What is to be installed in a database. */
type WantedTriggers = {
  triggers: readonly EventTrigger[]
  /** Names of all event triggers, including inconsistent ones; events of other triggers are archived. */
  names: ReadonlySet<string>
  /** Whether no engine has replaced the metadata that they are in. */
  isCurrent(client: PoolClient): Promise<boolean>
}

/**
 * Installs what makes the database write an event for each change that an event trigger observes: a function and a
 * row trigger for each operation. They are replaced only if their SQL has changed, and dropped with the event trigger.
 */
export async function installRowTriggers(
  pool: Pool,
  { triggers, names, isCurrent }: WantedTriggers,
) {
  const wanted = new Map(triggers.flatMap(rowTriggerDefinitions).map((one) => [one.name, one]))
  const before = await differences(pool, wanted)
  if (before.stale.length === 0 && before.missing.length === 0) return
  await runExclusively(pool, async (client) => {
    // Asked here, because metadata is stored before its triggers are installed: what newer metadata has is not there yet,
    // or this engine knows that it is behind, and leaves it.
    if (!(await isCurrent(client))) return
    const { stale, missing } = await differences(client, wanted)
    for (const name of stale) {
      await client.query(`drop function if exists hdb_catalog.${escapeIdentifier(name)} cascade`)
      const trigger = eventTriggerName(name)
      if (!names.has(trigger)) await client.query(ARCHIVE_EVENTS, [trigger])
    }
    for (const { text } of missing) await client.query(text)
  })
}

type Definition = ReturnType<typeof rowTriggerDefinitions>[number]

/** The names of the functions that are not as wanted, and what is to be made. */
async function differences(
  client: Pick<PoolClient, 'query'>,
  wanted: ReadonlyMap<string, Definition>,
) {
  const { rows } = await client.query<InstalledRowTrigger>(INSTALLED_ROW_TRIGGERS)
  const stale = rows.filter(({ name, digest }) => wanted.get(name)?.digest !== digest)
  const kept = new Set(rows.filter((row) => !stale.includes(row)).map(({ name }) => name))
  const missing = [...wanted.values()].filter(({ name }) => !kept.has(name))
  return { stale: stale.map(({ name }) => name), missing }
}

type InstalledRowTrigger = { name: string; digest: string | null }

const ARCHIVE_EVENTS = 'update hdb_catalog.event_log set archived = true where trigger_name = $1'

/** The name of the event trigger that a function belongs to. */
function eventTriggerName(name: string): string {
  return name.slice('notify_hasura_'.length, name.lastIndexOf('_'))
}

/** The functions that are installed; without a digest if the row trigger is gone, for example with its table. */
const INSTALLED_ROW_TRIGGERS = `
select function.proname as name,
  case when exists (select from pg_trigger where tgfoid = function.oid)
    then obj_description(function.oid, 'pg_proc')
  end as digest
from pg_proc function
join pg_namespace on pg_namespace.oid = function.pronamespace
where nspname = 'hdb_catalog' and proname like 'notify\\_hasura\\_%'`

/** Runs `work` in a transaction, in one engine at a time: all engines on a database see new metadata at once. */
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

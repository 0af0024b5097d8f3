import type { AdapterPayload } from 'oidc-provider'
import type { ClientBase, QueryResult } from 'pg'

type Key = { model: string; id: Buffer }

/** What may be asked about a row, or done to it. */
export type Step =
  | (Key & { kind: 'find' | 'consume' | 'destroy' })
  | (Key & { kind: 'store'; payload: AdapterPayload; seconds: number })

/** What a find found. */
export type Found = {
  payload: AdapterPayload
  /** Seconds since the epoch. */
  consumed: number | null
  grant_id: string | null
  grant_payload: AdapterPayload | null
}

export type Outcome = Found | boolean | undefined

/**
 * Has a connection find rows by their key whatever it takes the table for. The plan of a prepared
 * statement outlives what it was made for: made while the table is all but empty, it would read all
 * of it each time until the table is next analyzed, a minute of a busy server.
 *
 * So there is but one plan, and none is made anew for each call: for a few keys PostgreSQL would hold
 * that to be cheaper, and it takes as long as all the rest (docs/decisions/0096).
 */
export async function findByKey(connection: ClientBase): Promise<void> {
  await connection.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
}

type Run = (name: string, text: string, values: unknown[]) => Promise<QueryResult>

/**
 * The library tolerates clocks that are 15 s apart; what it may still ask for must still be there.
 * By the database's clock, which is one for all instances.
 */
export const GRACE = "interval '20 seconds'"

/** Written so that no index fits: a row is to be found by its key, not among all that live. */
const LIVES = `expires_at + ${GRACE} > now()`

/** A code or a token is of one, an interaction that has ended well has made one. */
const GRANT_ID = `coalesce(named.grant_id, named.payload #>> '{result,consent,grantId}')`

/** With its grant, since the library asks for that next. */
const FIND = `
  select
    model,
    id,
    payload,
    extract(epoch from consumed_at)::float8 as consumed,
    ${GRANT_ID} as grant_id,
    (
      select payload
      from oidc_artifact
      where model = 'Grant'
        and id = sha256(convert_to(${GRANT_ID}, 'UTF8'))
        and ${LIVES}
    ) as grant_payload
  from oidc_artifact as named
  where model = any ($1::text[])
    and id = any ($2::bytea[])
    and ${LIVES}`

const CHANGE = `
  with used as (
    update oidc_artifact
    set consumed_at = now()
    where model = any ($3::text[])
      and id = any ($4::bytea[])
      and (model, id) in (select * from unnest($3, $4))
      and consumed_at is null
      and ${LIVES}
    returning model, id
  ), destroyed as (
    delete from oidc_artifact
    where model = any ($5::text[])
      and id = any ($6::bytea[])
      and (model, id) in (select * from unnest($5, $6))
    returning model, id
  ), stored as (
    insert into oidc_artifact (model, id, payload, grant_id, expires_at)
    select model, id, payload, grant_id, now() + make_interval(secs => seconds)
    from rows from (
      unnest($7::text[], $8::bytea[], $9::text[], $10::float8[]),
      jsonb_array_elements($11::jsonb)
    ) as stored (model, id, grant_id, seconds, payload)
    on conflict (model, id) do update
    set payload = excluded.payload, expires_at = excluded.expires_at
  )
  ${FIND}
  union all
  select model, id, null, null, null, null
  from (select * from used union all select * from destroyed)`

/**
 * Everything that is asked of the table at one moment, in one statement: a round trip costs more than
 * what it carries. Rows are always found by their key: see `findByKey`.
 *
 * No two steps may change one row in different ways: which of them would, PostgreSQL does not say.
 *
 * @returns in the order of the steps, of a find what it found, of a consume or a destroy whether it was the one that did
 */
export async function roundTrip(run: Run, steps: readonly Step[]): Promise<Outcome[]> {
  const finds = steps.filter(({ kind }) => kind === 'find')
  const { rows } =
    finds.length === steps.length
      ? await run('oidc_find', FIND, keysOf(finds))
      : await run('oidc_change', CHANGE, [...keysOf(finds), ...changes(steps)])
  const found = new Map<string, Found>()
  const changed = new Set<string>()
  for (const row of rows)
    if (row.payload) found.set(nameOf(row), row)
    else changed.add(nameOf(row))
  return steps.map((step) => {
    if (step.kind === 'find') return found.get(nameOf(step))
    // One use is one, of however many who asked for it.
    return step.kind !== 'store' && changed.delete(nameOf(step))
  })
}

function changes(steps: readonly Step[]): unknown[] {
  const consumed = steps.filter(({ kind }) => kind === 'consume')
  const destroyed = steps.filter(({ kind }) => kind === 'destroy')
  const stored = steps.filter((step) => step.kind === 'store')
  return [
    ...keysOf(consumed),
    ...keysOf(destroyed),
    ...keysOf(stored),
    stored.map(({ payload }) => payload.grantId ?? null),
    stored.map(({ seconds }) => seconds),
    // What its bearer holds stays with the bearer.
    JSON.stringify(stored.map(({ payload: { jti: _held, ...rest } }) => rest)),
  ]
}

function keysOf(keys: readonly Key[]): [models: string[], ids: Buffer[]] {
  return [keys.map(({ model }) => model), keys.map(({ id }) => id)]
}

export function nameOf({ model, id }: Key): string {
  return `${model} ${id.toString('latin1')}`
}

import type { AdapterPayload } from 'oidc-provider'
import type { ClientBase, QueryResult } from 'pg'

/** The id is a hash, as PostgreSQL writes bytes: `\x` and hex digits. As text it is the key of a map, too. */
type Key = { model: string; id: string }

/** One operation on a row, which is named by its model and the hash of its id. */
export type Step =
  | (Key & { kind: 'find' | 'consume' | 'destroy' })
  | (Key & { kind: 'store'; payload: AdapterPayload; seconds: number })

/** A row that was found. */
export type Found = {
  payload: AdapterPayload
  /** When it was used up, in seconds since the epoch. */
  consumed: number | null
  grant_id: string | null
  grant_payload: AdapterPayload | null
}

export type Outcome = Found | boolean | undefined

/**
 * Makes a connection find rows by their key, however small it thinks the table is. A prepared statement
 * keeps its plan: one that is made while the table is almost empty would read the whole table each time,
 * until the table is next analyzed, which takes a busy server a minute.
 *
 * Each statement is also planned only once: PostgreSQL would plan it again for every call, expecting a
 * cheaper plan for a short list of keys, and that takes as long as everything else (docs/decisions/0096).
 */
export async function findByKey(connection: ClientBase): Promise<void> {
  await connection.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
}

type Run = (name: string, text: string, values: unknown[]) => Promise<QueryResult>

/**
 * How long rows are kept after they expire. The library tolerates clocks that are 15 s apart, so it may
 * ask for a row that has expired by the database's clock, which is the one that counts here.
 */
export const GRACE = "interval '20 seconds'"

/** Written so that the index on `expires_at` does not fit: rows are to be found by their key. */
const LIVES = `expires_at + ${GRACE} > now()`

/** The grant that a code or a token belongs to, or that an interaction which succeeded has made. */
const GRANT_ID = `coalesce(named.grant_id, named.payload #>> '{result,consent,grantId}')`

/** Finds rows, each with its grant, since the library asks for that next. */
const FIND = `
  select
    model,
    id::text,
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
  select model, id::text, null, null, null, null
  from (select * from used union all select * from destroyed)`

/**
 * Carries out steps in one statement, because a round trip costs more than what it carries. The
 * connection must have been prepared by `findByKey`.
 *
 * No two steps may change one row in different ways: PostgreSQL does not say which of them would win.
 *
 * @returns one outcome for each step, in their order: of a find, the row; of a consume or a destroy,
 *   whether this step was the one that used up or deleted the row; of a store, false
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
    // If several steps ask for the same single use, the first one gets it.
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
    // `jti` is the secret that its bearer holds: only its hash, the key of the row, is stored.
    JSON.stringify(stored.map(({ payload: { jti: _held, ...rest } }) => rest)),
  ]
}

function keysOf(keys: readonly Key[]): [models: string[], ids: string[]] {
  return [keys.map(({ model }) => model), keys.map(({ id }) => id)]
}

export function nameOf({ model, id }: Key): string {
  return `${model} ${id}`
}

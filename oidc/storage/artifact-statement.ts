import type { AdapterPayload } from 'oidc-provider'
import type { ClientBase, Pool } from 'pg'

/** The key of a row. The id is a hash, as PostgreSQL writes bytes: `\x` and hex digits. */
export type ArtifactKey = { model: string; id: string }

/** One operation on one row. */
export type ArtifactStep =
  | (ArtifactKey & { kind: 'find' | 'consume' | 'destroy' })
  | (ArtifactKey & { kind: 'store'; payload: AdapterPayload; seconds: number })

/** A row that was found, with the grant that it belongs to. */
export type FoundArtifact = {
  payload: AdapterPayload
  /** When it was used up, in seconds since the epoch. */
  consumed: number | null
  grant_id: string | null
  grant_payload: AdapterPayload | null
}

/** Of a find, the row; of any other step, whether it was the one that used up or destroyed its row. */
export type StepOutcome = FoundArtifact | boolean | undefined

/**
 * Prepares a connection: PostgreSQL plans each statement once, and finds rows by their key, however small
 * it believes the table to be (docs/decisions/sign-in/0071). Otherwise it would plan each call anew, which takes as
 * long as everything else, and a plan made while the table was almost empty would read the whole table
 * until the table is next analyzed, a minute later on a busy server.
 */
export async function usePlansByKey(connection: ClientBase): Promise<void> {
  await connection.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
}

/**
 * How long rows are kept after they expire, by the database's clock. oidc-provider tolerates clocks that are
 * 15 s apart, so it may ask for a row that has already expired by that clock.
 */
export const EXPIRY_GRACE = "interval '20 seconds'"

/** Written so that the index on `expires_at` does not fit: rows are to be found by their key. */
const IS_ALIVE = `expires_at + ${EXPIRY_GRACE} > now()`

/** The grant that a code or a token belongs to, or that was made when this interaction succeeded. */
const GRANT_ID = `coalesce(named.grant_id, named.payload #>> '{result,consent,grantId}')`

/** Finds rows, each with its grant, because oidc-provider asks for the grant next. */
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
        and ${IS_ALIVE}
    ) as grant_payload
  from oidc_artifact as named
  where model = any ($1::text[])
    and id = any ($2::bytea[])
    and ${IS_ALIVE}`

const CHANGE = `
  with used as (
    update oidc_artifact
    set consumed_at = now()
    where model = any ($3::text[])
      and id = any ($4::bytea[])
      and (model, id) in (select * from unnest($3, $4))
      and consumed_at is null
      and ${IS_ALIVE}
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
 * Carries out steps in one statement, because a round trip costs more than what it carries.
 *
 * No two steps may change one row in different ways: PostgreSQL does not say which of them would win.
 *
 * @param pool with connections that `usePlansByKey` has prepared
 * @returns one outcome for each step, in their order
 */
export async function runSteps(pool: Pool, steps: readonly ArtifactStep[]): Promise<StepOutcome[]> {
  const finds = steps.filter(({ kind }) => kind === 'find')
  const statement =
    finds.length === steps.length
      ? { name: 'oidc_find', text: FIND, values: keyLists(finds) }
      : { name: 'oidc_change', text: CHANGE, values: [...keyLists(finds), ...changeLists(steps)] }
  const { rows } = await pool.query<FoundRow | ChangedRow>(statement)
  const found = new Map<string, FoundArtifact>()
  const changed = new Set<string>()
  for (const row of rows)
    if (row.payload) found.set(rowName(row), row)
    else changed.add(rowName(row))
  return steps.map((step) => {
    if (step.kind === 'find') return found.get(rowName(step))
    // If several steps ask for the same single use, the first one gets it.
    return step.kind !== 'store' && changed.delete(rowName(step))
  })
}

type FoundRow = ArtifactKey & FoundArtifact
type ChangedRow = ArtifactKey & { payload: null }

/** The parameters of `CHANGE` after the first two, which are those of `FIND`. */
function changeLists(steps: readonly ArtifactStep[]): unknown[] {
  const consumed = steps.filter(({ kind }) => kind === 'consume')
  const destroyed = steps.filter(({ kind }) => kind === 'destroy')
  const stored = steps.filter((step) => step.kind === 'store')
  return [
    ...keyLists(consumed),
    ...keyLists(destroyed),
    ...keyLists(stored),
    stored.map(({ payload }) => payload.grantId ?? null),
    stored.map(({ seconds }) => seconds),
    // `jti` is the secret that the bearer holds: only its hash, the key of the row, is stored.
    JSON.stringify(stored.map(({ payload: { jti: _secret, ...rest } }) => rest)),
  ]
}

function keyLists(keys: readonly ArtifactKey[]): [models: string[], ids: string[]] {
  return [keys.map(({ model }) => model), keys.map(({ id }) => id)]
}

/** A name for the row, as the key of a map. */
export function rowName({ model, id }: ArtifactKey): string {
  return `${model} ${id}`
}

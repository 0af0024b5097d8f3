import type { AdapterPayload } from 'oidc-provider'
import type { ClientBase, Pool } from 'pg'

/** The key of a row. The id is a hash, as PostgreSQL writes bytes: `\x` and hex digits. */
export type ArtifactKey = { model: string; id: string }

/** An operation on a row. */
export type ArtifactStep =
  | (ArtifactKey & { kind: 'find' | 'consume' | 'destroy' })
  | (ArtifactKey & { kind: 'store'; payload: AdapterPayload; seconds: number })

/** A row with its grant. */
export type ArtifactRow = {
  payload: AdapterPayload
  /** The time at which the row was used up, in seconds since the epoch. */
  consumed: number | null
  grant_id: string | null
  grant_payload: AdapterPayload | null
}

/** The row for a find; undefined if there is no row. For other steps, true if the step used up or destroyed its row. */
export type StepOutcome = ArtifactRow | boolean | undefined

/**
 * Prepares a connection so that PostgreSQL plans each statement once and finds rows by key, even in a small table
 * (docs/decisions/sign-in/0071). By default PostgreSQL would plan each call, which takes as long as the rest of the
 * call. A plan from a time when the table was almost empty would read the whole table. PostgreSQL would keep such a
 * plan until the next analysis, which is a minute later on a busy server.
 */
export async function usePlansByKey(connection: ClientBase): Promise<void> {
  await connection.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
}

/**
 * How long rows are kept after they expire by the database's clock. oidc-provider tolerates clocks that are 15 s
 * apart, so it may read a row that has already expired by the database's clock.
 */
export const EXPIRY_GRACE = "interval '20 seconds'"

/** Prevents the use of the index on `expires_at`, so that rows are found by key. */
const IS_ALIVE = `expires_at + ${EXPIRY_GRACE} > now()`

/** The grant of a code or a token, or the grant that a successful interaction has made. */
const GRANT_ID = `coalesce(named.grant_id, named.payload #>> '{result,consent,grantId}')`

/** Finds rows with their grants, because oidc-provider reads the grant next. */
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
 * Runs steps in one statement, because a round trip costs more than the steps.
 *
 * Two steps may not change the same row in different ways, because PostgreSQL does not define which change wins.
 *
 * @param pool with connections that `usePlansByKey` has prepared
 * @returns the outcome of each step, in order
 */
export async function runSteps(pool: Pool, steps: readonly ArtifactStep[]): Promise<StepOutcome[]> {
  const finds = steps.filter(({ kind }) => kind === 'find')
  const statement =
    finds.length === steps.length
      ? { name: 'oidc_find', text: FIND, values: keyLists(finds) }
      : { name: 'oidc_change', text: CHANGE, values: [...keyLists(finds), ...changeLists(steps)] }
  const { rows } = await pool.query<FoundRow | ChangedRow>(statement)
  const rowsByName = new Map<string, ArtifactRow>()
  const changedNames = new Set<string>()
  for (const row of rows)
    if (row.payload) rowsByName.set(rowName(row), row)
    else changedNames.add(rowName(row))
  return steps.map((step) => {
    if (step.kind === 'find') return rowsByName.get(rowName(step))
    // If several steps consume or destroy the same row, the first step succeeds.
    return step.kind !== 'store' && changedNames.delete(rowName(step))
  })
}

type FoundRow = ArtifactKey & ArtifactRow
type ChangedRow = ArtifactKey & { payload: null }

/** Returns the parameters of `CHANGE` after the first two, which are the parameters of `FIND`. */
function changeLists(steps: readonly ArtifactStep[]): unknown[] {
  const consumeSteps = steps.filter(({ kind }) => kind === 'consume')
  const destroySteps = steps.filter(({ kind }) => kind === 'destroy')
  const storeSteps = steps.filter((step) => step.kind === 'store')
  return [
    ...keyLists(consumeSteps),
    ...keyLists(destroySteps),
    ...keyLists(storeSteps),
    storeSteps.map(({ payload }) => payload.grantId ?? null),
    storeSteps.map(({ seconds }) => seconds),
    // `jti` is the bearer's secret. Only its hash is stored, as the key of the row.
    JSON.stringify(storeSteps.map(({ payload: { jti: _secret, ...rest } }) => rest)),
  ]
}

function keyLists(keys: readonly ArtifactKey[]): [models: string[], ids: string[]] {
  return [keys.map(({ model }) => model), keys.map(({ id }) => id)]
}

/** Returns a name for the row, as the key of a map. */
export function rowName({ model, id }: ArtifactKey): string {
  return `${model} ${id}`
}

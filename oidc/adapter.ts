import { hash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Pool, QueryResult } from 'pg'
import { shareCalls } from '../lib/share-calls.ts'
import { isAway } from './away.ts'

export type Artifacts = {
  /** The library's storage of one kind of thing. */
  adapter(model: string): Adapter
  /** Takes a name that may be taken once; false when somebody has it already. */
  claim(model: string, id: string, seconds: number): Promise<boolean>
  /** Gives a name free that was taken for nothing. */
  release(model: string, id: string): Promise<void>
  /** Deletes what has expired, unless another instance is at it. */
  expire(): Promise<void>
}

/**
 * The library tolerates clocks that are 15 s apart; what it may still ask for must still be there.
 * By the database's clock, which is one for all instances.
 */
const GRACE = "interval '20 seconds'"

const EXPIRE_BATCH = 5_000

/** Any number, the same in every instance. */
const EXPIRE_LOCK = 1_763_600_030

/**
 * Storage in Postgres, directly and not through GraphQL, because single use rests on single
 * statements (docs/decisions/0021).
 *
 * What a bearer holds is stored as its hash only: a copy of the table opens nothing.
 */
export function artifacts(pool: Pool): Artifacts {
  const run = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values })
  const { find, upsert, consumed } = statements(run)
  const grants = foreseen()

  const findOne = async (model: string, id: string): Promise<AdapterPayload | undefined> => {
    const row = await find({ model, id })
    if (!row) return undefined
    if (row.grant_id && row.grant_payload)
      grants.put(row.grant_id, { ...row.grant_payload, jti: row.grant_id })
    return { ...row.payload, jti: id, ...(row.consumed && { consumed: row.consumed }) }
  }

  const consume = async (model: string, id: string) => {
    if (await consumed({ model, id })) return
    // Whoever comes second, with a stolen code or a second thread, ends what the first one got
    // (RFC 6749 4.1.2).
    const used = await find({ model, id })
    if (used?.grant_id) await revokeGrant(used.grant_id)
    throw new errors.InvalidGrant('already used')
  }

  const destroy = (model: string, id: string) =>
    run('oidc_destroy', 'delete from oidc_artifact where model = $1 and id = $2', [
      model,
      hashed(id),
    ])

  const revokeGrant = async (grantId: string) => {
    await run(
      'oidc_revoke_grant',
      `delete from oidc_artifact
       where grant_id = $1 and consumed_at is null or model = 'Grant' and id = $2`,
      [grantId, hashed(grantId)],
    )
    grants.take(grantId)
  }

  return {
    adapter: (model) => ({
      upsert: (id, payload, seconds = 0) => upsert({ model, id, payload, seconds }),
      find: async (id) => (model === 'Grant' && grants.take(id)) || findOne(model, id),
      consume: (id) => consume(model, id),
      destroy: async (id) => void (await destroy(model, id)),
      // The library asks once for each kind of thing; each statement takes them all.
      revokeByGrantId: revokeGrant,
      findByUid: nothing,
      findByUserCode: nothing,
    }),
    async claim(model, id, seconds) {
      const { rowCount } = await run(
        'oidc_claim',
        `insert into oidc_artifact (model, id, payload, expires_at)
         values ($1, $2, '{}', now() + make_interval(secs => $3))
         on conflict (model, id) do nothing`,
        [model, hashed(id), seconds],
      )
      return rowCount === 1
    },
    release: async (model, id) => void (await destroy(model, id)),
    async expire() {
      const client = await pool.connect()
      try {
        const { rows } = await client.query('select pg_try_advisory_lock($1) as leads', [
          EXPIRE_LOCK,
        ])
        if (rows[0]?.leads) await deleteExpired(client)
      } finally {
        // With the session goes its lock.
        client.release(true)
      }
    },
  }
}

type Run = (name: string, text: string, values: unknown[]) => Promise<QueryResult>
type Key = { model: string; id: string }
type Stored = Key & { payload: AdapterPayload; seconds: number }
type Found = {
  payload: AdapterPayload
  consumed: number | null
  grant_id: string | null
  grant_payload: AdapterPayload | null
}

/** The statements of every request; those of one moment are one. */
function statements(run: Run) {
  return {
    find: together<Key, Found | null>(async (keys) => {
      const { rows } = await run(
        'oidc_find',
        `select
           asked.place::int,
           found.payload,
           extract(epoch from found.consumed_at)::float8 as consumed,
           found.grant_id,
           grant_of.payload as grant_payload
         from unnest($1::text[], $2::bytea[]) with ordinality as asked (model, id, place)
         join oidc_artifact as found
           on found.model = asked.model
           and found.id = asked.id
           and found.expires_at > now() - ${GRACE}
         left join oidc_artifact as grant_of
           on grant_of.model = 'Grant'
           and grant_of.id = sha256(convert_to(found.grant_id, 'UTF8'))
           and grant_of.expires_at > now() - ${GRACE}`,
        columnsOf(keys),
      )
      const byPlace = new Map(rows.map((row) => [row.place, row]))
      return keys.map((_, i) => byPlace.get(i + 1) ?? null)
    }),

    upsert: together<Stored, void>(async (stored) => {
      // A statement may touch a row once: of two writes of one moment the later one counts.
      const latest = [...new Map(stored.map((one) => [`${one.model}/${one.id}`, one])).values()]
      await run(
        'oidc_upsert',
        `insert into oidc_artifact (model, id, payload, grant_id, expires_at)
         select model, id, payload, grant_id, now() + make_interval(secs => seconds)
         from unnest($1::text[], $2::bytea[], $3::jsonb[], $4::text[], $5::float8[])
           as stored (model, id, payload, grant_id, seconds)
         on conflict (model, id) do update
         set payload = excluded.payload, expires_at = excluded.expires_at`,
        [
          ...columnsOf(latest),
          latest.map(({ payload: { jti: _held, ...rest } }) => JSON.stringify(rest)),
          latest.map(({ payload }) => payload.grantId ?? null),
          latest.map(({ seconds }) => seconds),
        ],
      )
      return stored.map(() => undefined)
    }),

    /** Whether this caller is the one who used it up; however many ask, in one statement or many. */
    consumed: together<Key, boolean>(async (keys) => {
      const { rows } = await run(
        'oidc_consume',
        `update oidc_artifact as used
         set consumed_at = now()
         from unnest($1::text[], $2::bytea[]) with ordinality as asked (model, id, place)
         where used.model = asked.model
           and used.id = asked.id
           and used.consumed_at is null
           and used.expires_at > now() - ${GRACE}
         returning asked.place::int`,
        columnsOf(keys),
      )
      const places = new Set(rows.map(({ place }) => place))
      return keys.map((_, i) => places.has(i + 1))
    }),
  }
}

function columnsOf(keys: readonly Key[]): [models: string[], ids: Buffer[]] {
  return [keys.map(({ model }) => model), keys.map(({ id }) => hashed(id))]
}

/** Rows of one statement, and statements of one kind at one time. */
const SHARED = { maxBatch: 64, maxUnderWay: 2 }

/** Shares statements; what one caller's values make impossible is that caller's alone. */
function together<In, Out>(ask: (inputs: readonly In[]) => Promise<readonly Out[]>) {
  return shareCalls<In, Out>(async (inputs) => {
    try {
      return await ask(inputs)
    } catch (error) {
      if (inputs.length === 1 || isAway(error)) throw error
      const settled = await Promise.allSettled(inputs.map((input) => ask([input])))
      return settled.flatMap((each): readonly (Out | Error)[] =>
        each.status === 'fulfilled' ? each.value : [asError(each.reason)],
      )
    }
  }, SHARED)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** For how long an answer that came along may stand for one of its own, in milliseconds. */
const FORESIGHT_MS = 100

/**
 * The library asks for a code or a token, and then for its grant: the second answer comes along with
 * the first. It is handed out once, within a moment; whoever comes later asks the database.
 */
function foreseen() {
  const kept = new Map<string, { payload: AdapterPayload; until: number }>()
  return {
    put(id: string, payload: AdapterPayload) {
      kept.delete(id)
      kept.set(id, { payload, until: performance.now() + FORESIGHT_MS })
      for (const [old, { until }] of kept) {
        if (until > performance.now()) break
        kept.delete(old)
      }
    },
    take(id: string): AdapterPayload | undefined {
      const found = kept.get(id)
      kept.delete(id)
      return found && found.until > performance.now() ? found.payload : undefined
    },
  }
}

/** No library session is kept: each sign-in is a fresh proof. */
export const noSessions: Adapter = {
  upsert: nothing,
  find: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
}

async function nothing() {}

function hashed(id: string): Buffer {
  return hash('sha256', id, 'buffer')
}

/** In batches, so that no statement holds many rows for long. */
async function deleteExpired(client: { query: Pool['query'] }) {
  for (;;) {
    const { rowCount } = await client.query(
      `delete from oidc_artifact
       where ctid = any (array(
         select ctid from oidc_artifact where expires_at < now() - ${GRACE} limit ${EXPIRE_BATCH}
       ))`,
    )
    if ((rowCount ?? 0) < EXPIRE_BATCH) return
  }
}

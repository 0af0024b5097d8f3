import { hash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { Pool } from 'pg'
import { shareCalls } from '../../lib/share-calls.ts'
import { isUnavailable } from '../errors/unavailable.ts'
import { grantsAlongside } from './grants-alongside.ts'
import { joinedUses } from './joined-uses.ts'
import { type Found, GRACE, nameOf, type Outcome, roundTrip, type Step } from './round-trip.ts'

export type Artifacts = {
  /** The library's storage for one of its models, such as `AuthorizationCode`. */
  adapter(model: string): Adapter
  /** Uses up an artifact that can be used once; false when it was used already. */
  claim(key: Key): Promise<boolean>
  /** Undoes a claim, when what it was claimed for has failed. */
  release(key: Key): Promise<void>
  /** Deletes what has expired, unless another instance is doing so. */
  expire(): Promise<void>
}

type Key = { model: string; id: string }

const EXPIRE_BATCH = 5_000

/** The number of the advisory lock: an arbitrary one, the same in every instance. */
const EXPIRE_LOCK = 1_763_600_030

/**
 * Stores the library's artifacts in Postgres: directly and not through GraphQL, because a single use
 * has to be a single statement (docs/decisions/0021).
 *
 * Of codes, handles and other secrets only a hash is stored: whoever gets a copy of the table can use
 * none of them.
 */
export function artifacts(pool: Pool): Artifacts {
  const take = shared(pool)
  const alongside = grantsAlongside()
  const uses = joinedUses()

  const find = async (key: Key): Promise<Found | undefined> => {
    const outcome = await take({ kind: 'find', ...hashed(key) })
    return typeof outcome === 'object' ? outcome : undefined
  }

  const findOne = async (key: Key): Promise<AdapterPayload | undefined> => {
    const grant = key.model === 'Grant' && alongside.take(key.id)
    if (grant) return grant
    const row = await find(key)
    if (!row) return undefined
    alongside.keep(row)
    return { ...row.payload, jti: key.id, ...(row.consumed && { consumed: row.consumed }) }
  }

  const useUp = async (key: Key): Promise<boolean> =>
    (await take({ kind: 'consume', ...hashed(key) })) === true

  const consume = async (key: Key) => {
    if (await useUp(key)) return
    // A code that is used twice may have been stolen, so the tokens of its first use are revoked, too
    // (RFC 6749 4.1.2).
    const used = await find(key)
    if (used?.grant_id) await revokeGrant(used.grant_id)
    throw new errors.InvalidGrant('already used')
  }

  const destroy = async (key: Key) => (await take({ kind: 'destroy', ...hashed(key) })) === true

  // The library reads an interaction, destroys it, and then goes on. Several requests may have read the
  // same one: only the request that destroyed it may go on.
  const comeBack = async (key: Key) => {
    if (!(await destroy(key))) throw new CameBack()
  }

  const revokeGrant = async (grantId: string) => {
    await pool.query(
      `delete from oidc_artifact
       where grant_id = $1 and consumed_at is null or model = 'Grant' and id = $2`,
      [grantId, digest(grantId)],
    )
  }

  return {
    adapter: (model) => ({
      upsert: async (id, payload, seconds = 0) =>
        uses.join(take({ kind: 'store', ...hashed({ model, id }), payload, seconds })),
      find: (id) => findOne({ model, id }),
      consume: (id) => uses.add(consume({ model, id })),
      destroy: async (id) => {
        if (model !== 'Interaction') await destroy({ model, id })
        else if (willStore()) await uses.add(comeBack({ model, id }))
        else await comeBack({ model, id })
      },
      // The library calls this once for each model; each call deletes those of all models.
      revokeByGrantId: revokeGrant,
      findByUid: nothing,
      findByUserCode: nothing,
    }),
    claim: useUp,
    release: async ({ model, id }) =>
      void (await pool.query(
        'update oidc_artifact set consumed_at = null where model = $1 and id = $2',
        [model, digest(id)],
      )),
    async expire() {
      const client = await pool.connect()
      try {
        const { rows } = await client.query('select pg_try_advisory_lock($1) as leads', [
          EXPIRE_LOCK,
        ])
        if (rows[0]?.leads) await deleteExpired(client)
      } finally {
        // Ends the connection, and with it the lock.
        client.release(true)
      }
    },
  }
}

/**
 * A second return from the same sign-in. The person is told, and not the app: the first return may
 * have signed them in there.
 */
class CameBack extends errors.SessionNotFound {
  override readonly allow_redirect = false

  constructor() {
    super('somebody came back with this sign-in already')
  }
}

/** Whether the current request, with which a person returns from the page, will store a code or a token. */
function willStore(): boolean {
  const { result, params } = Provider.ctx?.oidc.entities.Interaction ?? {}
  return result?.login !== undefined && params?.response_type !== 'id_token'
}

/** The number of steps in a round trip, and of round trips at a time. */
const SHARED = { maxBatch: 64, maxUnderWay: 2 }

/** Lets callers share round trips. An error that one caller's values cause reaches that caller only. */
function shared(pool: Pool) {
  const run = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values })
  return shareCalls<Step, Outcome>(async (steps) => {
    const waves = apart(steps)
    const outcomes = new Map<Step, Outcome | Error>()
    for (const wave of waves) {
      const settled = await settle(wave)
      for (const [i, step] of wave.entries()) outcomes.set(step, settled[i])
    }
    return steps.map((step) => outcomes.get(step))
  }, SHARED)

  async function settle(steps: readonly Step[]): Promise<(Outcome | Error)[]> {
    try {
      return await roundTrip(run, steps)
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (steps.length === 1) return [asError(error)]
      const alone = await Promise.all(steps.map((step) => settle([step])))
      return alone.flat()
    }
  }
}

/**
 * Divides steps into as few waves as possible, so that no wave changes a row in two ways and the
 * changes of each row keep their order.
 */
function apart(steps: readonly Step[]): Step[][] {
  const waves: Step[][] = [[]]
  const last = new Map<string, { kind: Step['kind']; wave: number }>()
  for (const step of steps) {
    const row = nameOf(step)
    const before = step.kind === 'find' ? undefined : last.get(row)
    // Several steps that use up (or destroy) the same row may share a statement: it lets one succeed.
    const joins = before?.kind === step.kind && step.kind !== 'store'
    const wave = before ? before.wave + (joins ? 0 : 1) : 0
    if (step.kind !== 'find') last.set(row, { kind: step.kind, wave })
    waves[wave] ??= []
    waves[wave].push(step)
  }
  return waves
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Storage for sessions that keeps none: each sign-in requires a fresh proof. */
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

function hashed({ model, id }: Key) {
  return { model, id: digest(id) }
}

/** In PostgreSQL's notation for bytes. */
function digest(id: string): string {
  return `\\x${hash('sha256', id)}`
}

/** Deletes in batches, so that no statement locks many rows for long. */
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

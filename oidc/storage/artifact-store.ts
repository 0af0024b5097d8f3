import { hash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Pool } from 'pg'
import type { ArtifactKey } from './artifact-statement.ts'
import { deleteExpiredArtifacts } from './expired-artifacts.ts'
import { currentRequestScope } from './request-scope.ts'
import { shareStatements } from './shared-statements.ts'

export type ArtifactStore = {
  /** oidc-provider's storage for one of its models, such as `AuthorizationCode`. */
  adapterFor(model: string): Adapter
  /** Uses up an artifact that can be used once; false if it had been used already. */
  useUp(artifact: Artifact): Promise<boolean>
  /** Makes a used artifact usable again, when what it was used for has failed. */
  release(artifact: Artifact): Promise<void>
  /** Deletes what has expired, unless another instance is doing so. */
  deleteExpired(): Promise<void>
}

/** The id is the secret that the artifact's bearer holds, such as the code itself. */
type Artifact = { model: string; id: string }

/**
 * Stores oidc-provider's artifacts (codes, tokens, grants, sign-ins that are under way) in the table
 * `oidc_artifact`: directly and not through GraphQL, because a single use has to be a single statement
 * (docs/decisions/sign-in/0021).
 *
 * Of codes, handles and other secrets only a hash is stored: whoever gets a copy of the table can use
 * none of them.
 */
export function createArtifactStore(pool: Pool): ArtifactStore {
  const run = shareStatements(pool)

  return {
    adapterFor: (model) => ({
      async upsert(id, payload, seconds = 0) {
        const step = { kind: 'store', ...artifactKey({ model, id }), payload, seconds } as const
        // Called together, so that the changes that were put off are part of the same statement.
        await Promise.all([currentRequestScope()?.flush(), run(step)])
      },
      find: (id) => findArtifact({ model, id }),
      consume: (id) => changeLater(() => useUpOrRevoke({ model, id })),
      async destroy(id) {
        if (model === 'Interaction') await changeLater(() => endSignIn(id))
        else await destroy({ model, id })
      },
      // oidc-provider calls this once for each model; each call deletes those of all models.
      revokeByGrantId: revokeGrant,
      findByUid: findNothing,
      findByUserCode: findNothing,
    }),
    useUp,
    release,
    deleteExpired: () => deleteExpiredArtifacts(pool),
  }

  async function findArtifact(artifact: Artifact): Promise<AdapterPayload | undefined> {
    const scope = currentRequestScope()
    const grant = artifact.model === 'Grant' ? scope?.takeGrant(artifact.id) : undefined
    if (grant) return { ...grant, jti: artifact.id }
    const row = await findRow(artifact)
    if (!row) return undefined
    if (row.grant_id && row.grant_payload) scope?.keepGrant(row.grant_id, row.grant_payload)
    return { ...row.payload, jti: artifact.id, ...(row.consumed && { consumed: row.consumed }) }
  }

  async function findRow(artifact: Artifact) {
    const outcome = await run({ kind: 'find', ...artifactKey(artifact) })
    return typeof outcome === 'object' ? outcome : undefined
  }

  async function useUp(artifact: Artifact): Promise<boolean> {
    return (await run({ kind: 'consume', ...artifactKey(artifact) })) === true
  }

  async function release(artifact: Artifact) {
    const { model, id } = artifactKey(artifact)
    await pool.query('update oidc_artifact set consumed_at = null where model = $1 and id = $2', [
      model,
      id,
    ])
  }

  async function destroy(artifact: Artifact): Promise<boolean> {
    return (await run({ kind: 'destroy', ...artifactKey(artifact) })) === true
  }

  /**
   * Uses up a code. One that is used twice may have been stolen, so the tokens of its first use are
   * revoked, too (RFC 6749 4.1.2).
   *
   * @throws InvalidGrant
   */
  async function useUpOrRevoke(artifact: Artifact) {
    if (await useUp(artifact)) return
    const used = await findRow(artifact)
    if (used?.grant_id) await revokeGrant(used.grant_id)
    throw new errors.InvalidGrant('already used')
  }

  /**
   * Ends a sign-in whose person has come back from the page. oidc-provider reads an interaction, destroys it,
   * and then goes on. Several requests may have read the same one: only the one that destroyed it may go on.
   *
   * @throws AlreadyReturned
   */
  async function endSignIn(id: string) {
    if (!(await destroy({ model: 'Interaction', id }))) throw new AlreadyReturned()
  }

  async function revokeGrant(grantId: string) {
    await pool.query(
      `delete from oidc_artifact
       where grant_id = $1 and consumed_at is null or model = 'Grant' and id = $2`,
      [grantId, digestOf(grantId)],
    )
  }
}

/** Leaves a change to the scope of the current request, so that it shares a statement; without a scope, makes it now. */
async function changeLater(change: () => Promise<void>): Promise<void> {
  const scope = currentRequestScope()
  if (scope) scope.defer(change)
  else await change()
}

/**
 * A second return from the same sign-in. The person is told, and not the app: the first return may
 * have signed them in there.
 */
class AlreadyReturned extends errors.SessionNotFound {
  override readonly allow_redirect = false

  constructor() {
    super('somebody has already returned from this sign-in')
  }
}

/** Only for sessions and the device flow, neither of which this server has. */
async function findNothing() {}

function artifactKey({ model, id }: Artifact): ArtifactKey {
  return { model, id: digestOf(id) }
}

/** In PostgreSQL's notation for bytes. */
function digestOf(id: string): string {
  return `\\x${hash('sha256', id)}`
}

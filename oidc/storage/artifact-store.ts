import { hash } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Pool } from 'pg'
import type { ArtifactKey } from './artifact-statement.ts'
import { deleteExpiredArtifacts } from './expired-artifacts.ts'
import { currentRequestScope } from './request-scope.ts'
import { shareStatements } from './shared-statements.ts'

export type ArtifactStore = {
  /** Returns oidc-provider's storage for a model such as `AuthorizationCode`. */
  adapterFor(model: string): Adapter
  /** Uses up a single-use artifact; false if the artifact is missing, has expired or had already been used. */
  useUp(artifact: Artifact): Promise<boolean>
  /** Makes a used artifact usable again, after the operation that used it has failed. */
  release(artifact: Artifact): Promise<void>
  /** Deletes expired artifacts, unless another instance is deleting them. */
  deleteExpired(): Promise<void>
}

/** An artifact. Its id is the bearer's secret, such as the code itself. */
type Artifact = { model: string; id: string }

/**
 * Stores oidc-provider's artifacts (codes, tokens, grants, sign-ins in progress) in the table `oidc_artifact`. Uses
 * SQL and not GraphQL, because a single use must be a single statement (docs/decisions/sign-in/0021).
 *
 * Only hashes of codes, handles and other secrets are stored, so a stolen copy of the table gives access to nothing.
 */
export function createArtifactStore(pool: Pool): ArtifactStore {
  const run = shareStatements(pool)

  return {
    adapterFor: (model) => ({
      async upsert(id, payload, seconds = 0) {
        const step = { kind: 'store', ...artifactKey({ model, id }), payload, seconds } as const
        // Called together, so that the deferred changes are part of the same statement.
        await Promise.all([currentRequestScope()?.flush(), run(step)])
      },
      find: (id) => findArtifact({ model, id }),
      consume: (id) => changeLater(() => useUpOrRevoke({ model, id })),
      async destroy(id) {
        if (model === 'Interaction') await changeLater(() => endSignIn(id))
        else await destroy({ model, id })
      },
      // oidc-provider calls this once for each model. Each call deletes the unused artifacts of all models.
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
   * Uses up a code. A code that is used twice may have been stolen, so the second use also revokes the tokens of the
   * first use (RFC 6749 4.1.2).
   *
   * @throws InvalidGrant
   */
  async function useUpOrRevoke(artifact: Artifact) {
    if (await useUp(artifact)) return
    const row = await findRow(artifact)
    if (row?.grant_id) await revokeGrant(row.grant_id)
    throw new errors.InvalidGrant('already used')
  }

  /**
   * Ends a sign-in when the person returns from the page. oidc-provider reads an interaction, destroys it, and then
   * continues. Several requests may have read the same interaction; only the request that destroys it may continue.
   *
   * @throws InteractionUsed
   */
  async function endSignIn(id: string) {
    if (!(await destroy({ model: 'Interaction', id }))) throw new InteractionUsed()
  }

  async function revokeGrant(grantId: string) {
    await pool.query(
      `delete from oidc_artifact
       where grant_id = $1 and consumed_at is null or model = 'Grant' and id = $2`,
      [grantId, digestOf(grantId)],
    )
  }
}

/**
 * Defers a change to the flush of the current request's scope, so that the change can share a statement. Without a
 * scope, makes the change now.
 */
async function changeLater(change: () => Promise<void>): Promise<void> {
  const scope = currentRequestScope()
  if (scope) scope.defer(change)
  else await change()
}

/**
 * The error for a second return from the same sign-in. It is shown to the person and not sent to the app, because the
 * first return may have signed the person in.
 */
class InteractionUsed extends errors.SessionNotFound {
  override readonly allow_redirect = false

  constructor() {
    super('this sign-in has already been continued')
  }
}

/** Finds nothing: these lookups are only for sessions and the device flow, which this server does not support. */
async function findNothing() {}

function artifactKey({ model, id }: Artifact): ArtifactKey {
  return { model, id: digestOf(id) }
}

/** Returns the hash of an id in PostgreSQL's notation for bytes. */
function digestOf(id: string): string {
  return `\\x${hash('sha256', id)}`
}

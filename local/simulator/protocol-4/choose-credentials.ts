import { CREDENTIAL_NAMES, CREDENTIALS } from '../../../lib/proof/protocol-4/credentials.ts'
import { selectCredentials } from './constraints.ts'
import type { Credential, Holder } from './holder.ts'
import type { ProofRequest, RequestItem } from './proof-request.ts'
import { WalletRefusal } from './refusal.ts'

/** The bounds for a credential in a proof, in seconds since the epoch. */
export type Bounds = { expiresAtMin: bigint; genesisIssuedAtMin: bigint }

/** A requested credential that the person has. */
export type Choice = { item: RequestItem; credential: Credential; bounds: Bounds }

/**
 * Chooses the credentials of a person for a request, by its constraints. Without constraints, the request needs all.
 *
 * @throws WalletRefusal that says for each missing credential why
 */
export function chooseCredentials(holder: Holder, request: ProofRequest): Choice[] {
  const { proof_requests: items, constraints } = request
  const candidates = items.map((item) => {
    const bounds = boundsOf(item, request)
    return { item, bounds, ...findCredential(holder, item.issuer_schema_id, bounds) }
  })
  const available = candidates.flatMap(({ item, bounds, credential }) =>
    credential ? [{ item, bounds, credential }] : [],
  )
  const selected = selectCredentials(
    constraints ?? { all: items.map(({ identifier }) => identifier) },
    (identifier) => available.some(({ item }) => item.identifier === identifier),
  )
  if (selected) return available.filter(({ item }) => selected.includes(item.identifier))
  const reasons = candidates.flatMap(({ mistake }) => mistake ?? [])
  throw new WalletRefusal(
    'credential_unavailable',
    reasons.join(' ') || 'The constraints name a credential that the request does not ask for.',
  )
}

/** Returns the bounds of a requested credential. By default it must be valid when the request was created. */
function boundsOf(item: RequestItem, { created_at }: ProofRequest): Bounds {
  return {
    expiresAtMin: BigInt(item.expires_at_min ?? created_at),
    genesisIssuedAtMin: BigInt(item.genesis_issued_at_min ?? 0),
  }
}

type Finding =
  | { credential: Credential; mistake?: undefined }
  | { credential?: undefined; mistake: string }

/** Finds the credential of an issuer that satisfies the bounds, or says why the person has none. */
export function findCredential(
  { credentials }: Holder,
  issuerSchemaId: bigint,
  { expiresAtMin, genesisIssuedAtMin }: Bounds,
): Finding {
  const name = CREDENTIAL_NAMES.find((each) => CREDENTIALS[each] === issuerSchemaId)
  if (!name) return { mistake: `No simulated issuer has the schema id ${issuerSchemaId}.` }
  const credential = credentials.find((each) => each.name === name)
  if (!credential) return { mistake: `This person has no ${name}.` }
  const { expiresAt, genesisIssuedAt } = credential
  if (expiresAt <= expiresAtMin)
    return {
      mistake: `This person's ${name} expires at ${expiresAt}; it must be valid after expires_at_min, ${expiresAtMin}.`,
    }
  if (genesisIssuedAt < genesisIssuedAtMin)
    return {
      mistake: `This person's ${name} was issued at ${genesisIssuedAt}; genesis_issued_at_min is ${genesisIssuedAtMin}.`,
    }
  return { credential }
}

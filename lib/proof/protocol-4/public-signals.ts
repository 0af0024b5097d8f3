/** A point of BabyJubJub: the key of a credential issuer, or the OPRF key of a relying party. */
export type PublicKey = { readonly x: bigint; readonly y: bigint }

/** The public inputs of a proof of protocol 4.0, by name. */
export type Protocol4Inputs = {
  nullifier: bigint
  issuerSchemaId: bigint
  issuerKey: PublicKey
  /** Seconds since the epoch: the credential is valid for at least that long. */
  expiresAtMin: bigint
  /** Seconds since the epoch: the credential was first issued then, or later. */
  credentialGenesisIssuedAtMin: bigint
  merkleRoot: bigint
  treeDepth: bigint
  rpId: bigint
  action: bigint
  oprfKey: PublicKey
  signalHash: bigint
  nonce: bigint
  /** The commitment of a session, or 0 for a uniqueness proof. */
  sessionId: bigint
}

/** The number of public signals of a proof of protocol 4.0. */
export const PROTOCOL_4_SIGNALS = 15

/** Returns the public signals in the order of the circuit. */
export function protocol4Signals(inputs: Protocol4Inputs): readonly bigint[] {
  return [
    inputs.nullifier,
    inputs.issuerSchemaId,
    inputs.issuerKey.x,
    inputs.issuerKey.y,
    inputs.expiresAtMin,
    inputs.credentialGenesisIssuedAtMin,
    inputs.merkleRoot,
    inputs.treeDepth,
    inputs.rpId,
    inputs.action,
    inputs.oprfKey.x,
    inputs.oprfKey.y,
    inputs.signalHash,
    inputs.nonce,
    inputs.sessionId,
  ]
}

/** The kinds of action, by the highest byte of the 32 bytes of the action's number. */
const ACTION_KINDS: ReadonlyMap<bigint, ActionKind> = new Map([
  [0n, 'uniqueness'],
  [2n, 'session'],
])

type ActionKind = 'uniqueness' | 'session'

/**
 * Returns the kind of proof that an action is for, or null. The first byte of the action keeps both kinds apart, so that
 * a session proof of a person never has the nullifier of their uniqueness proof.
 */
export function kindOfAction(action: bigint): ActionKind | null {
  return ACTION_KINDS.get(action >> 248n) ?? null
}

/** A title and a sentence for the user. */
export type Message = { title: string; text: string }

const DECLINED: Message = {
  title: 'Declined',
  text: 'The person declined in their wallet. Your website receives this error and can ask again.',
}

const WRONG_CLOCK: Message = {
  title: 'Wrong time',
  text: 'The wallet says that the time of the request is wrong. Set the clock of this computer, then ask again.',
}

/** The messages for the error codes that wallets send instead of a proof. */
const REFUSALS: Readonly<Record<string, Message>> = {
  verification_rejected: DECLINED,
  user_rejected: DECLINED,
  credential_unavailable: {
    title: 'No proof',
    text: 'The person has no credential that the request accepts.',
  },
  max_verifications_reached: {
    title: 'Already verified',
    text: 'The wallet says that this person has reached the limit of this action.',
  },
  inclusion_proof_pending: {
    title: 'No proof yet',
    text: 'The person is not in a group yet. Wait a while if the wallet is new.',
  },
  inclusion_proof_failed: {
    title: 'No proof',
    text: 'The wallet could not make a proof. Ask again.',
  },
  invalid_network: {
    title: 'Wrong wallet',
    text: 'A staging app accepts proofs from the simulator only, not from a real wallet.',
  },
  world_id_3_not_available: {
    title: 'No proof',
    text: 'This wallet makes no proofs of protocol 3.0. Choose protocol 4.0 for this action.',
  },
  world_id_4_not_available: {
    title: 'No proof',
    text: 'This wallet makes no proofs of protocol 4.0. Choose protocol 3.0 for this action.',
  },
  malformed_request: {
    title: 'Not understood',
    text: 'The wallet could not read the request.',
  },
  invalid_rp_signature: {
    title: 'Wrong signature',
    text: 'The request is not signed with the request signing key that is registered for this app.',
  },
  rp_signature_expired: {
    title: 'Expired',
    text: 'A signed request is valid for five minutes. Ask again, and answer sooner.',
  },
  duplicate_nonce: {
    title: 'Already answered',
    text: 'A wallet has already answered this request. Ask again to get a new request.',
  },
  nullifier_replayed: {
    title: 'Already verified',
    text: 'The wallet says that this person has already made a proof for this action.',
  },
  unknown_rp: {
    title: 'Unknown app',
    text: 'The wallet does not find the rp id of this app in its registry. Create a request signing key for the app.',
  },
  inactive_rp: {
    title: 'Inactive app',
    text: 'The registry of the wallet says that the rp id of this app is inactive.',
  },
  timestamp_too_old: WRONG_CLOCK,
  timestamp_too_far_in_future: WRONG_CLOCK,
  invalid_timestamp: WRONG_CLOCK,
  user_presence_failed: {
    title: 'No proof',
    text: 'The wallet could not confirm that the person is present. Ask again.',
  },
  identity_attributes_not_matched: {
    title: 'No proof',
    text: 'The document of the person does not have the attributes that the request asks for.',
  },
  feature_unavailable: {
    title: 'No proof',
    text: 'This wallet does not support a part of the request.',
  },
  unexpected_response: {
    title: 'No proof',
    text: 'The answer of the wallet cannot be read. The wallet may use another protocol.',
  },
}

/** Explains the error code that a wallet sent instead of a proof. */
export function refusalInWords(code: string): Message {
  return (
    REFUSALS[code] ?? { title: 'No proof', text: `The wallet answered with an error: ${code}.` }
  )
}

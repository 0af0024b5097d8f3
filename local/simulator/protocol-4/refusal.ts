/**
 * The codes with which wallets refuse a request, as IDKit knows them.
 *
 * @see https://github.com/worldcoin/idkit (rust/core/src/error.rs, at 2cd8a912)
 */
export type RefusalCode =
  | 'credential_unavailable'
  | 'duplicate_nonce'
  | 'generic_error'
  | 'identity_attributes_not_matched'
  | 'inactive_rp'
  | 'invalid_network'
  | 'invalid_rp_signature'
  | 'malformed_request'
  | 'rp_signature_expired'
  | 'timestamp_too_far_in_future'
  | 'timestamp_too_old'
  | 'unknown_rp'
  | 'world_id_4_not_available'

/** The refusal of a wallet. The page gets the code, and the developer the message. */
export class WalletRefusal extends Error {
  override readonly name = 'WalletRefusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

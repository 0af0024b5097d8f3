import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import type { ServiceOptions } from './service-options.ts'

type Protocol4 = Pick<ServiceOptions, 'rpcUrl' | 'verifiers' | 'verificationKey4File'>

/** Returns the developer API's variables for proofs of protocol 4.0. */
export function protocol4Environment({ rpcUrl, verifiers, verificationKey4File }: Protocol4) {
  return {
    WORLD_CHAIN_RPC_URL: rpcUrl,
    WORLD_CHAIN_ID: String(CHAIN_ID),
    WORLD_ID_VERIFIER_PRODUCTION: verifiers.production,
    WORLD_ID_VERIFIER_STAGING: verifiers.staging,
    VERIFICATION_KEYS_4_STAGING: 'development-4,world-id-4',
    DEVELOPMENT_KEY_4_FILE: verificationKey4File,
  }
}

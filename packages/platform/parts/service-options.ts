import type { Verifiers } from '../../../local/chain/deploy-world-id.ts'
import type { Secrets } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'

/** The options of each of the platform's services. */
export type ServiceOptions = {
  settings: Settings
  secrets: Secrets
  hasura: { endpoint: string; adminSecret: string }
  rpcUrl: string
  /** The files with the verification keys of simulated proofs, of protocol 3.0 and of protocol 4.0. */
  verificationKeyFile: string
  verificationKey4File: string
  /** The verifier contracts of protocol 4.0 on the local chain. */
  verifiers: Verifiers
  /** Called when the service ends unexpectedly. */
  onEnd: (error: Error) => void
}

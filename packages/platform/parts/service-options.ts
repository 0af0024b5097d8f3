import type { Secrets } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'

/** The options of each of the platform's services. */
export type ServiceOptions = {
  settings: Settings
  secrets: Secrets
  hasura: { endpoint: string; adminSecret: string }
  rpcUrl: string
  /** The file with the verification key of simulated proofs. */
  verificationKeyFile: string
  /** Called when the service ends unexpectedly. */
  onEnd: (error: Error) => void
}

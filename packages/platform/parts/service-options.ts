import type { Secrets } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'

/** What each of the platform's own services is started with. */
export type ServiceOptions = {
  settings: Settings
  secrets: Secrets
  hasura: { endpoint: string; adminSecret: string }
  rpcUrl: string
  /** The verification key of simulated proofs. */
  verificationKeyFile: string
  /** Called when the service ends by itself. */
  onEnd: (error: Error) => void
}

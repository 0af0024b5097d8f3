import type { Hex } from 'viem'
import type { CredentialName } from '../../../lib/proof/protocol-4/credentials.ts'
import { VERIFICATION_LEVELS } from '../../../lib/proof/verification-level.ts'
import type { App } from '../../team/current-app.tsx'
import { readWalletAnswer } from './verify-proof.ts'

/** The choice of a trial. Requests of protocol 4.0 name credentials, and are signed with the private key. */
export type Choice = { action: string } & (
  | { protocol: '3.0' }
  | { protocol: '4.0'; privateKey: Hex; credentials: readonly CredentialName[] }
)

type Proof = { action: string } & Record<string, unknown>

/** A request to a wallet, and how its answer is sent to the platform. */
export type Inquiry = {
  question: object
  readAnswer(answer: unknown): { proof: Proof } | { error_code: string }
  /** The path of the verify endpoint. */
  path: string
}

/** The hash of the empty signal, which IDKit sends for a request without a signal. */
const NO_SIGNAL = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'

/** Creates the request that a website would send for this choice. */
export function createInquiry(app: App, choice: Choice): Promise<Inquiry> | Inquiry {
  return choice.protocol === '4.0'
    ? createSignedInquiry(app, choice)
    : createUnsignedInquiry(app, choice)
}

/** Creates a request of protocol 3.0, as a widget does that accepts every verification level. */
function createUnsignedInquiry(app: App, { action }: Choice): Inquiry {
  return {
    question: {
      app_id: app.id,
      action,
      action_description: `${action} (${app.name})`,
      signal: NO_SIGNAL,
      credential_types: VERIFICATION_LEVELS,
      verification_level: 'device',
    },
    readAnswer(answer) {
      const proof = readWalletAnswer(answer)
      return 'error_code' in proof ? proof : { proof: { action, ...proof } }
    },
    path: `/api/v2/verify/${app.id}`,
  }
}

type SignedChoice = Extract<Choice, { protocol: '4.0' }>

/** Creates and signs a request of protocol 4.0. The code that signs is loaded now, since it is large. */
async function createSignedInquiry(
  app: App,
  { action, privateKey, credentials }: SignedChoice,
): Promise<Inquiry> {
  const [{ signRequest }, { createProofRequest }, { readProofResponse }] = await Promise.all([
    import('./protocol-4/sign-request.ts'),
    import('./protocol-4/proof-request.ts'),
    import('./protocol-4/wallet-answer.ts'),
  ])
  const signedRequest = await signRequest(privateKey, action)
  return {
    question: createProofRequest(app, signedRequest, credentials),
    readAnswer: (answer) => readProofResponse(answer, signedRequest),
    path: `/api/v4/verify/${app.rp_id}`,
  }
}

import { BridgeUnavailable, RequestGone } from '../../../oidc/page/bridge.js'
import { RequestError } from '../../graphql/request-error.ts'

/** A title and a sentence for the user. */
export type Message = { title: string; text: string }

/** Explains the error code that a wallet sent instead of a proof. */
export function refusalInWords(code: string): Message {
  return (
    REFUSALS[code] ?? { title: 'No proof', text: `The wallet answered with an error: ${code}.` }
  )
}

const REFUSALS: Readonly<Record<string, Message>> = {
  verification_rejected: {
    title: 'Declined',
    text: 'The person declined in their wallet. Your website receives this error and can ask again.',
  },
  credential_unavailable: {
    title: 'No proof',
    text: 'The person is not verified at a level that the request allows.',
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
}

export function explainFailure(error: unknown): Message {
  if (error instanceof RequestGone || isTimeout(error))
    return { title: 'Expired', text: 'No wallet answered in time. Ask again to get a new code.' }
  if (error instanceof BridgeUnavailable)
    return {
      title: 'Wallet bridge unreachable',
      text: 'Check that the wallet bridge is running, then ask again.',
    }
  const text = error instanceof RequestError ? error.message : 'Something went wrong. Ask again.'
  return { title: 'Not verified', text }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

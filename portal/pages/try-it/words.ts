import { BridgeUnavailable, RequestGone } from '../../../oidc/page/bridge.js'
import { RequestError } from '../../graphql/request-error.ts'

/** A sentence for a person, below what it is about. */
export type Words = { title: string; text: string }

/** Why a wallet has sent no proof, by the code that it sent instead. */
export function refusalInWords(code: string): Words {
  return (
    REFUSALS[code] ?? { title: 'No proof', text: `The wallet answered with an error: ${code}.` }
  )
}

const REFUSALS: Readonly<Record<string, Words>> = {
  verification_rejected: {
    title: 'Declined',
    text: 'The person declined in their wallet. Your website is told so, and can ask again.',
  },
  credential_unavailable: {
    title: 'No proof',
    text: 'The person was not verified in a way that was asked for.',
  },
  max_verifications_reached: {
    title: 'Already verified',
    text: 'The wallet says that this person has verified for this action as often as is allowed.',
  },
  inclusion_proof_pending: {
    title: 'No proof yet',
    text: 'The person is in no group yet. A new wallet takes a while.',
  },
  inclusion_proof_failed: {
    title: 'No proof',
    text: 'The wallet could not make a proof. Ask again.',
  },
  invalid_network: {
    title: 'Wrong wallet',
    text: 'A staging app takes proofs of the simulator, and not of a real wallet.',
  },
}

/** Why there was no answer. */
export function explainFailure(error: unknown): Words {
  if (error instanceof RequestGone || isTimeout(error))
    return { title: 'Expired', text: 'Nobody has answered in time. Ask again for a new code.' }
  if (error instanceof BridgeUnavailable)
    return {
      title: 'No way to a wallet',
      text: 'The wallet bridge cannot be reached. Check that it runs, then ask again.',
    }
  const text = error instanceof RequestError ? error.message : 'Something went wrong. Ask again.'
  return { title: 'Not verified', text }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

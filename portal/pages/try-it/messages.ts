import { BridgeUnavailable, RequestGone } from '../../../oidc/page/bridge.js'
import { RequestError } from '../../graphql/request-error.ts'
import type { Message } from './refusals.ts'

/** Explains why an attempt ended without an answer of the wallet or of the platform. */
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

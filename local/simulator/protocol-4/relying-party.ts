import { recoverMessageAddress } from 'viem'
import { z } from 'zod'
import { formatField } from '../../../lib/proof/encoding.ts'
import { formatRpId, rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import type { ProofRequest } from './proof-request.ts'
import { WalletRefusal } from './refusal.ts'

const RelyingParty = z.object({
  production_status: z.string(),
  /** Null for a production app. */
  staging_status: z.string().nullable(),
  /** The address of the request signing key; null without a key. */
  signer_address: z.string().nullable(),
})

export type RelyingParty = z.output<typeof RelyingParty>

/** Finds a relying party by its rp id; null if there is none. */
export type FindRelyingParty = (rpId: string) => Promise<RelyingParty | null>

/** Creates a function that asks the developer API for a relying party. */
export function createFindRelyingParty(baseUrl: string): FindRelyingParty {
  return async (rpId) => {
    const response = await fetch(`${baseUrl}/api/v4/rp-status/${rpId}`)
    if (response.status === 404) return null
    if (!response.ok)
      throw new Error(
        `The developer API answered ${response.status} for the relying party ${rpId}.`,
      )
    return RelyingParty.parse(await response.json())
  }
}

/** How far `created_at` may be from now, and `expires_at` from `created_at`, in seconds: as in the protocol's nodes. */
const MAX_DIFFERENCE_SECONDS = 1_800

/** The maximum number of nonces in memory. The oldest nonce is dropped first. */
const MAX_NONCES = 10_000

const usedNonces = new Set<string>()

/**
 * Checks what a wallet and the protocol's nodes check of a relying party: its rp id, the times of the request, the
 * signature, and that the nonce is new.
 *
 * @see https://github.com/worldcoin/world-id-protocol (services/oprf-node/src/auth/rp_module.rs, at bc22329f)
 * @throws WalletRefusal
 */
export async function requireRelyingParty(
  request: ProofRequest,
  { appId, findRelyingParty }: { appId: string; findRelyingParty: FindRelyingParty },
): Promise<void> {
  const rpId = formatRpId(request.rp_id)
  if (rpId !== rpIdOfApp(appId))
    throw new WalletRefusal(
      'unknown_rp',
      `The rp id of ${appId} is ${rpIdOfApp(appId)}; the request has ${rpId}.`,
    )
  requireTimes(request)
  const relyingParty = await findRelyingParty(rpId)
  if (!relyingParty) throw new WalletRefusal('unknown_rp', `No app has the rp id ${rpId}.`)
  const { signer_address: signer, staging_status, production_status } = relyingParty
  if (production_status === 'deactivated')
    throw new WalletRefusal('inactive_rp', `The app ${appId} is inactive or archived.`)
  if (signer === null)
    throw new WalletRefusal(
      'unknown_rp',
      `The app ${appId} has no request signing key. Create one in the portal, on the page of the app.`,
    )
  if (staging_status === null)
    throw new WalletRefusal(
      'invalid_network',
      `The app ${appId} is a production app. Only staging apps accept simulated people.`,
    )
  await requireSignature(request, signer)
  requireNewNonce(request)
}

function requireTimes({ created_at, expires_at }: ProofRequest) {
  const now = Math.floor(Date.now() / 1_000)
  if (expires_at <= now)
    throw new WalletRefusal(
      'rp_signature_expired',
      `The request expired ${now - expires_at} s ago.`,
    )
  if (created_at > now + MAX_DIFFERENCE_SECONDS)
    throw new WalletRefusal(
      'timestamp_too_far_in_future',
      `The request's created_at is ${created_at - now} s in the future. Set the clock of your server.`,
    )
  if (created_at < now - MAX_DIFFERENCE_SECONDS)
    throw new WalletRefusal(
      'timestamp_too_old',
      `The request is ${now - created_at} s old; wallets accept ${MAX_DIFFERENCE_SECONDS} s.`,
    )
  if (expires_at > created_at + MAX_DIFFERENCE_SECONDS)
    throw new WalletRefusal(
      'generic_error',
      `expires_at must be at most ${MAX_DIFFERENCE_SECONDS} s after created_at; got ${expires_at - created_at}.`,
    )
}

async function requireSignature(request: ProofRequest, signer: string) {
  const message = { raw: signedMessage(request) }
  const address = await recoverMessageAddress({ message, signature: request.signature }).catch(
    () => null,
  )
  if (address?.toLowerCase() === signer.toLowerCase()) return
  const cause = address ? `is from ${address.toLowerCase()}` : 'is no signature'
  throw new WalletRefusal(
    'invalid_rp_signature',
    `The request must be signed by ${signer}, the request signing key of the app. Its signature ${cause}, or is of another action, nonce or time.`,
  )
}

const MESSAGE_VERSION = '01'

/** Returns the bytes that a relying party signs: version, nonce, created_at, expires_at, and the action if there is one. */
function signedMessage({ nonce, created_at, expires_at, action }: ProofRequest): `0x${string}` {
  const digits = (n: bigint) => formatField(n).slice(2)
  const time = (seconds: number) => seconds.toString(16).padStart(16, '0')
  const signedAction = action == null ? '' : digits(action)
  return `0x${MESSAGE_VERSION}${digits(nonce)}${time(created_at)}${time(expires_at)}${signedAction}`
}

function requireNewNonce({ rp_id, nonce }: ProofRequest) {
  const name = `${rp_id} ${nonce}`
  if (usedNonces.has(name))
    throw new WalletRefusal(
      'duplicate_nonce',
      'The relying party has used this nonce before. Sign each request anew.',
    )
  usedNonces.add(name)
  const [oldest] = usedNonces
  if (oldest !== undefined && usedNonces.size > MAX_NONCES) usedNonces.delete(oldest)
}

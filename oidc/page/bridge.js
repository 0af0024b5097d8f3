/**
 * The page's side of the wallet bridge's protocol (docs/decisions/sign-in/0022). The bridge keeps an encrypted
 * request until a wallet responds. Only the link and the QR code contain the key.
 */

/** An error: the bridge cannot be reached, or does not respond according to its protocol. */
export class BridgeUnavailable extends Error {}

/** An error: the bridge has dropped the request. The bridge keeps a request for some minutes. */
export class RequestGone extends BridgeUnavailable {}

/** The time between two polls of the bridge, and the number of failures in a row after which the page gives up. */
const POLL_MS = 1_000
const MAX_FAILURES = 5

/**
 * Posts a request for a wallet to the bridge.
 *
 * @param {{ bridgeUrl: string, linkUrl: string }} wallet
 * @param {object} question the request for a proof, which is encrypted for the wallet
 * @returns the link that opens a wallet with the request, and a function that waits for the response
 * @throws BridgeUnavailable; the returned function also throws RequestGone when the bridge has dropped the request
 */
export async function requestProof({ bridgeUrl, linkUrl }, question) {
  const key = await crypto.subtle.generateKey(CIPHER, true, ['encrypt', 'decrypt'])
  const encryptedQuestion = await encryptText(key, JSON.stringify(question))
  const { request_id: id } = await callBridge(`${bridgeUrl}/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(encryptedQuestion),
  })
  const link = new URL(linkUrl)
  link.searchParams.set('t', 'wld')
  link.searchParams.set('i', id)
  link.searchParams.set('k', toBase64(await crypto.subtle.exportKey('raw', key)))
  link.searchParams.set('b', bridgeUrl)
  return pendingRequest(link.href, { id, key, bridgeUrl })
}

const CIPHER = { name: 'AES-GCM', length: 256 }

/**
 * Resumes a request after the browser has reloaded the page.
 *
 * @param {{ bridgeUrl: string }} wallet
 * @param {string} link the link that `requestProof` returned
 * @returns the same as `requestProof`
 */
export async function resumeProof({ bridgeUrl }, link) {
  const { searchParams } = new URL(link)
  const bytes = fromBase64(searchParams.get('k'))
  const key = await crypto.subtle.importKey('raw', bytes, CIPHER, false, ['decrypt'])
  return pendingRequest(link, { id: searchParams.get('i'), key, bridgeUrl })
}

function pendingRequest(link, { id, key, bridgeUrl }) {
  return {
    link,
    /** @param {{ onSeen: () => void, signal: AbortSignal }} options */
    answer: async ({ onSeen, signal }) => {
      const response = await pollAnswer(`${bridgeUrl}/response/${id}`, { onSeen, signal })
      return JSON.parse(await decryptText(key, response))
    },
  }
}

/** Polls the bridge, and resolves with the encrypted response of the wallet. */
async function pollAnswer(url, { onSeen, signal }) {
  for (let failures = 0; ; await sleep(POLL_MS, signal)) {
    try {
      const { status, response } = await callBridge(url, { signal })
      failures = 0
      if (status === 'retrieved') onSeen()
      if (status === 'completed') return response
    } catch (error) {
      failures += 1
      if (signal.aborted || error instanceof RequestGone || failures >= MAX_FAILURES) throw error
    }
  }
}

async function callBridge(url, options) {
  try {
    const response = await fetch(url, options)
    if (response.ok) return await response.json()
    if (response.status === 404) throw new RequestGone('The bridge has dropped the request.')
  } catch (cause) {
    if (cause instanceof RequestGone) throw cause
    throw new BridgeUnavailable('The bridge cannot be reached.', { cause })
  }
  throw new BridgeUnavailable(`The bridge rejected the request with status ${response.status}.`)
}

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

async function encryptText(key, text) {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const payload = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    key,
    new TextEncoder().encode(text),
  )
  return { iv: toBase64(iv), payload: toBase64(payload) }
}

async function decryptText(key, { iv, payload }) {
  const bytes = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: fromBase64(iv) },
    key,
    fromBase64(payload),
  )
  return new TextDecoder().decode(bytes)
}

function toBase64(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}

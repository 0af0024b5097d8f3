import type { webcrypto } from 'node:crypto'
import { z } from 'zod'
import { type ProvingTools, proveForPerson } from './prove-for-person.ts'

/** The contents of a link to a wallet: the bridge, the id of the request, and the key that decrypts it. */
type Connection = { id: string; bridgeUrl: string; key: webcrypto.CryptoKey }

/** The request of a page to a wallet. */
const Question = z.object({
  app_id: z.string(),
  action: z.string(),
  action_description: z.string().optional(),
  /** The hash of the signal, in hex. */
  signal: z.string().regex(/^0x[0-9a-f]{1,64}$/i),
  /** The verification levels that the page accepts; all levels by default. */
  credential_types: z.array(z.string()).optional(),
})

export type Question = z.infer<typeof Question>

/** A request that a wallet has fetched from the bridge. It can be answered once. */
export type WalletRequest = {
  question: Question
  approve(person: string, tools: ProvingTools): Promise<void>
  decline(): Promise<void>
}

/** The error for a text that is not a link to a wallet, or for a request that the bridge no longer has. */
export class NoSuchRequest extends Error {
  override readonly name = 'NoSuchRequest'
}

/**
 * Opens a link as a wallet does: fetches the request from the bridge and decrypts it.
 *
 * @throws NoSuchRequest
 */
export async function takeRequest(link: string): Promise<WalletRequest> {
  const { id, bridgeUrl, key } = await readWalletLink(link)
  const response = await fetch(`${bridgeUrl}/request/${id}`)
  if (!response.ok)
    throw new NoSuchRequest(
      'This request has already been answered, or is too old. Go back and start again.',
    )
  const question = Question.parse(JSON.parse(await decryptMessage(key, await response.json())))
  const reply = async (answer: object) => {
    const delivery = await fetch(`${bridgeUrl}/response/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(await encryptMessage(key, JSON.stringify(answer))),
    })
    if (!delivery.ok)
      throw new NoSuchRequest('The bridge has dropped this request. Go back and start again.')
  }
  return {
    question,
    approve: async (person, tools) => reply(await answerForPerson(person, question, tools)),
    decline: () => reply({ error_code: 'verification_rejected' }),
  }
}

/** Returns the response of a simulated person to a page's request: a proof, or the error code of a wallet. */
async function answerForPerson(
  person: string,
  { app_id, action, signal, credential_types: acceptedLevels }: Question,
  tools: ProvingTools,
) {
  const purpose = { appId: app_id, action, signalHash: BigInt(signal) }
  const { proof, merkle_root, nullifier_hash, verification_level } = await proveForPerson(
    person,
    purpose,
    tools,
  )
  if (acceptedLevels && !acceptedLevels.includes(verification_level))
    return { error_code: 'credential_unavailable' }
  return { proof, merkle_root, nullifier_hash, verification_level }
}

async function readWalletLink(link: string): Promise<Connection> {
  const parameters = URL.parse(link)?.searchParams
  const [id, secret, bridgeUrl] = ['i', 'k', 'b'].map((name) => parameters?.get(name))
  if (!id || !secret || !bridgeUrl) throw new NoSuchRequest('This is not a link to a wallet.')
  const key = await crypto.subtle.importKey(
    'raw',
    Buffer.from(secret, 'base64'),
    { name: 'AES-GCM' },
    false,
    ['encrypt', 'decrypt'],
  )
  return { id, bridgeUrl, key }
}

const EncryptedMessage = z.object({ iv: z.base64(), payload: z.base64() })

async function decryptMessage(key: webcrypto.CryptoKey, message: unknown): Promise<string> {
  const { iv, payload } = EncryptedMessage.parse(message)
  const bytes = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: Buffer.from(iv, 'base64') },
    key,
    Buffer.from(payload, 'base64'),
  )
  return new TextDecoder().decode(bytes)
}

async function encryptMessage(key: webcrypto.CryptoKey, text: string) {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const payload = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, Buffer.from(text))
  return {
    iv: Buffer.from(iv).toString('base64'),
    payload: Buffer.from(payload).toString('base64'),
  }
}

import type { webcrypto } from 'node:crypto'
import { z } from 'zod'
import { proveAs, type World } from './prove-as.ts'

/** What a link to a wallet carries: where the request is, and the key that opens it. */
type Connection = { id: string; bridgeUrl: string; key: webcrypto.CryptoKey }

/** What a page asks a wallet to prove. */
const Question = z.object({
  app_id: z.string(),
  action: z.string(),
  action_description: z.string().optional(),
  /** The hash of the signal, in hex. */
  signal: z.string().regex(/^0x[0-9a-f]{1,64}$/i),
  /** The verification levels that the page accepts; all of them without it. */
  credential_types: z.array(z.string()).optional(),
})

export type Question = z.infer<typeof Question>

/** A request that a wallet has taken from the bridge; it can be answered once. */
export type TakenRequest = {
  question: Question
  approve(person: string, world: World): Promise<void>
  decline(): Promise<void>
}

/** The text is not a link to a wallet, or its request was taken already. */
export class NoSuchRequest extends Error {
  override readonly name = 'NoSuchRequest'
}

/**
 * Does what a wallet does with a link or a QR code: takes the request from the bridge and decrypts it.
 *
 * @throws NoSuchRequest
 */
export async function takeRequest(link: string): Promise<TakenRequest> {
  const { id, bridgeUrl, key } = await readWalletLink(link)
  const taken = await fetch(`${bridgeUrl}/request/${id}`)
  if (!taken.ok) throw new NoSuchRequest('This request was answered already, or is too old.')
  const question = Question.parse(JSON.parse(await decryptMessage(key, await taken.json())))
  const reply = async (answer: object) => {
    const sent = await fetch(`${bridgeUrl}/response/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(await encryptMessage(key, JSON.stringify(answer))),
    })
    if (!sent.ok) throw new NoSuchRequest('The bridge does not know this request any more.')
  }
  return {
    question,
    approve: async (person, world) => reply(await answerAs(person, question, world)),
    decline: () => reply({ error_code: 'verification_rejected' }),
  }
}

/**
 * The answer of a simulated person to what a page asks: their proof, as a wallet hands it over, or why there is none.
 */
export async function answerAs(
  person: string,
  { app_id, action, signal, credential_types: accepted }: Question,
  world: World,
) {
  const purpose = { appId: app_id, action, signalHash: BigInt(signal) }
  const { proof, merkle_root, nullifier_hash, verification_level } = await proveAs(
    person,
    purpose,
    world,
  )
  if (accepted && !accepted.includes(verification_level))
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

const Sealed = z.object({ iv: z.base64(), payload: z.base64() })

async function decryptMessage(key: webcrypto.CryptoKey, sealed: unknown): Promise<string> {
  const { iv, payload } = Sealed.parse(sealed)
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

import type { webcrypto } from 'node:crypto'
import { z } from 'zod'
import { VERIFICATION_LEVELS, type VerificationLevel } from '../../lib/proof/verification-level.ts'
import { answerProofRequest } from './protocol-4/answer-proof-request.ts'
import { simulatedTreeMember } from './protocol-4/credential-tree.ts'
import { parseProofRequest } from './protocol-4/proof-request.ts'
import { WalletRefusal } from './protocol-4/refusal.ts'
import { requireRelyingParty } from './protocol-4/relying-party.ts'
import { proveForPerson } from './prove-for-person.ts'
import type { WalletTools } from './wallet-tools.ts'

/** The contents of a link to a wallet: the bridge, the id of the request, and the key that decrypts it. */
type Connection = { id: string; bridgeUrl: string; key: webcrypto.CryptoKey }

/** The request of a page to a wallet. IDKit 2 sends the first fields, IDKit 4 also the fields of protocol 4.0. */
const Question = z.object({
  app_id: z.string(),
  action: z.string(),
  action_description: z.string().nullish(),
  /** The hash of the signal, in hex. */
  signal: z.string().regex(/^0x[0-9a-f]{1,64}$/i),
  /** The verification levels that the page accepts; all levels by default. */
  credential_types: z.array(z.string()).optional(),
  verification_level: z.string().optional(),
  /** The request for proofs of protocol 4.0. Without it, the page asks for a proof of protocol 3.0. */
  proof_request: z.unknown().optional(),
  allow_legacy_proofs: z.boolean().optional(),
  require_user_presence: z.boolean().optional(),
  package_version: z.string().optional(),
  identity_attributes: z.array(z.unknown()).nullish(),
})

export type Question = z.infer<typeof Question>

/** A request that a wallet has fetched from the bridge. It can be answered once. */
export type WalletRequest = {
  question: Question
  /** Sends the proof of a person, or a code of an error. @returns the reason of a refusal, or null */
  approve(person: string, tools: WalletTools): Promise<WalletRefusal | null>
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
    approve: async (person, tools) => {
      const answer = await answerOrRefusal(person, question, tools)
      const isRefused = answer instanceof WalletRefusal
      await reply(isRefused ? { error_code: answer.code } : answer)
      return isRefused ? answer : null
    },
    // IDKit 4 has a new code for a person who declines.
    decline: () =>
      reply({ error_code: question.proof_request ? 'user_rejected' : 'verification_rejected' }),
  }
}

/** Returns the answer of a simulated person to a page's request, or the wallet's refusal. */
async function answerOrRefusal(
  person: string,
  question: Question,
  tools: WalletTools,
): Promise<object> {
  try {
    return await (question.proof_request == null
      ? answerWithProtocol3(person, question, tools)
      : answerWithProtocol4(person, question, tools))
  } catch (error) {
    if (error instanceof WalletRefusal) return error
    throw error
  }
}

async function answerWithProtocol4(person: string, question: Question, tools: WalletTools) {
  const request = parseProofRequest(question.proof_request)
  const { findRelyingParty } = tools.protocol4
  await requireRelyingParty(request, { appId: question.app_id, findRelyingParty })
  if (question.identity_attributes?.length)
    throw new WalletRefusal(
      'identity_attributes_not_matched',
      'Simulated people have no document with a name, an age or a nationality.',
    )
  const member = simulatedTreeMember(person)
  if (member.holder.credentials.length > 0) {
    const proofRequest = { request, hasClaims: readsClaims(question) }
    const answer = await answerProofRequest(member, proofRequest, { ...tools, ...tools.protocol4 })
    return { ...answer, ...presence(question) }
  }
  if (request.proof_type === 'uniqueness' && question.allow_legacy_proofs)
    return answerWithProtocol3(person, question, tools)
  throw new WalletRefusal(
    'world_id_4_not_available',
    'This person has only World ID 3.0, and the request needs a proof of protocol 4.0.',
  )
}

/** Reports whether IDKit reads the claims of a credential: from version 4.3 on. */
function readsClaims({ package_version = '' }: Question): boolean {
  const [major = 0, minor = 0] = package_version.split('.').map(Number)
  return major > 4 || (major === 4 && minor >= 3)
}

/** Confirms that the person is at the wallet: approving the request needs a click. */
function presence({ require_user_presence }: Question) {
  return require_user_presence ? { user_presence_completed: true } : {}
}

async function answerWithProtocol3(person: string, question: Question, tools: WalletTools) {
  const { app_id, action, signal, credential_types: acceptedLevels } = question
  if (question.allow_legacy_proofs === false)
    throw new WalletRefusal(
      'malformed_request',
      'The request asks only for a proof of protocol 3.0, and allow_legacy_proofs is false. Set it to true, or ask for a credential of protocol 4.0.',
    )
  const level = levelOf(question)
  const purpose = { appId: app_id, action, level, signalHash: BigInt(signal) }
  const { proof, merkle_root, nullifier_hash, verification_level } = await proveForPerson(
    person,
    purpose,
    tools,
  )
  if (acceptedLevels && !acceptedLevels.includes(verification_level))
    throw new WalletRefusal(
      'credential_unavailable',
      `The request accepts ${acceptedLevels.join(', ')}; this person has ${verification_level}.`,
    )
  return { proof, merkle_root, nullifier_hash, verification_level, ...presence(question) }
}

/**
 * Returns the verification level of a proof of protocol 3.0. IDKit 4 asks for a level, and every simulated person has each;
 * orb is the proof for `device` too. IDKit 2 sends a list of levels, and the person has orb.
 */
function levelOf({ credential_types, verification_level }: Question): VerificationLevel {
  if (credential_types !== undefined) return 'orb'
  const level = VERIFICATION_LEVELS.find((each) => each === verification_level) ?? 'orb'
  return level === 'device' ? 'orb' : level
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

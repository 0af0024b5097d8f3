import { randomBytes } from 'node:crypto'
import { developmentKey } from '../../local/simulator/development-key/development-key.ts'
import { createForger } from '../../local/simulator/forge.ts'
import type { VerificationRequest } from '../../local/simulator/verification-request.ts'
import type { Target, TrafficSource } from './attack-target.ts'
import { type Attempt, sendRepeatedly } from './send-repeatedly.ts'

/**
 * Floods of requests with false proofs, unknown roots, wrong passwords or unknown tokens. They cost the platform much work for
 * nothing, and come from an address that no other caller has.
 */
export const floods: Readonly<Record<string, TrafficSource>> = {
  'a flood of false proofs': (target, signal) => floodProofs(target, target.app, signal),
  "a flood of false proofs for the attacked team's app": (target, signal) =>
    floodProofs(target, target.quietApp, signal),
  'a flood of proofs with unknown roots': async (target, signal) => {
    const person = await forgePerson(target.app, 1n)
    const makeAttempt = () =>
      verifyAttempt(target, target.app, { ...person, merkle_root: randomField() })
    await sendRepeatedly(makeAttempt, { ...FLOOD, signal })
  },
  'a flood of wrong passwords': ({ baseUrl }, signal) => {
    const makeAttempt = () => ({
      url: `${baseUrl}/api/v1/login`,
      headers: JSON_BODY,
      body: JSON.stringify({ email: `${randomField()}@example.com`, password: randomField() }),
    })
    return sendRepeatedly(makeAttempt, { ...FLOOD, signal })
  },
  'a flood of token introspections': ({ authUrl, client }, signal) => {
    const credentials = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${credentials}`,
    }
    const makeAttempt = () => ({
      url: `${authUrl}/introspect`,
      headers,
      body: `token=${randomField()}`,
    })
    return sendRepeatedly(makeAttempt, { ...FLOOD, signal })
  },
}

const FLOOD = { concurrency: 64, localAddress: '127.0.0.2' }

const JSON_BODY = { 'content-type': 'application/json' }

/** Sends one person's proof with other nullifiers. The verifier rejects it only after the full check. */
async function floodProofs(target: Target, app: string, signal: AbortSignal): Promise<void> {
  const person = await forgePerson(app, BigInt(target.root))
  const makeAttempt = () => verifyAttempt(target, app, { ...person, nullifier_hash: randomField() })
  await sendRepeatedly(makeAttempt, { ...FLOOD, signal })
}

async function forgePerson(appId: string, root: bigint): Promise<VerificationRequest> {
  const { request } = await createForger(await developmentKey())
  return request({ appId, action: 'vote', root, nullifierHash: 1n })
}

function verifyAttempt({ baseUrl }: Target, app: string, body: VerificationRequest): Attempt {
  return { url: `${baseUrl}/api/v2/verify/${app}`, headers: JSON_BODY, body: JSON.stringify(body) }
}

/** A random number of 31 bytes, so always an element of the field. */
function randomField(): string {
  return `0x00${randomBytes(31).toString('hex')}`
}

import { randomBytes } from 'node:crypto'
import { developmentKey } from '../../local/simulator/development-key/development-key.ts'
import { createForger } from '../../local/simulator/forge.ts'
import type { VerificationRequest } from '../../local/simulator/verification-request.ts'
import type { Target, Use } from './attacker.ts'
import { type Attempt, sendRepeatedly } from './send-repeatedly.ts'

/** Many requests that are refused only after work that all callers share, from an address that nobody else uses. */
export const floods: Readonly<Record<string, Use>> = {
  'a flood of false proofs': (target, signal) => floodProofs(target, target.app, signal),
  "a flood of false proofs for the quiet team's app": (target, signal) =>
    floodProofs(target, target.quietApp, signal),
  'a flood of unknown roots': async (target, signal) => {
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
  'a flood of introspected tokens': ({ authUrl, client }, signal) => {
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

const FLOOD = { at: 64, localAddress: '127.0.0.2' }

const JSON_BODY = { 'content-type': 'application/json' }

/** A proof of one person in the name of others: it is refused when all of it has been checked. */
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

/** A number of 31 bytes, which the field surely has. */
function randomField(): string {
  return `0x00${randomBytes(31).toString('hex')}`
}

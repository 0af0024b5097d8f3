import { parseField } from '../../../../lib/proof/encoding.ts'
import type { Examination4 } from '../../../../lib/verification/protocol-4/verify-proof-4.ts'
import { REQUIREMENTS } from '../../../verify/requirements.ts'
import { type Check, judgeApp, judgeEngine, type ProofToJudge } from '../checks.ts'
import {
  createFailure,
  createPass,
  createUnknown,
  type Judgement,
  UNREADABLE,
} from '../judgement.ts'
import { hashOf } from '../pasted-proof.ts'
import { judgeExpiry, judgeIssuer, judgeOprfKey, judgeRegistryRoot } from './chain-checks.ts'
import type { PastedProof4 } from './pasted-proof-4.ts'

/** A pasted proof of protocol 4.0 with the rows and results that the checks need. */
export type ProofToJudge4 = Pick<ProofToJudge, 'target' | 'app' | 'candidate'> & {
  pastedProof: PastedProof4
  /** False if the operator has set no chain for protocol 4.0. */
  hasProtocol4: boolean
  /** Null if the proof could not be examined. */
  examination: Examination4 | null
}

/** Runs the checks of a verification with protocol 4.0. Their names are part of the API. */
export function runChecks4(proof: ProofToJudge4): Check[] {
  return [
    { name: 'app', ...judgeApp(proof) },
    { name: 'action', ...judgeAction4(proof) },
    { name: 'engine', ...judgeEngine(proof) },
    { name: 'protocol', ...judgeProtocol4(proof) },
    { name: 'format', ...judgeFormat4(proof) },
    { name: 'environment', ...judgeEnvironment(proof) },
    { name: 'rp_id', ...judgeRpId(proof) },
    { name: 'root', ...judgeRegistryRoot(proof) },
    { name: 'issuer', ...judgeIssuer(proof) },
    { name: 'oprf_key', ...judgeOprfKey(proof) },
    { name: 'expiry', ...judgeExpiry(proof) },
    { name: 'signal', ...judgeSignal4(proof) },
    { name: 'nonce', ...judgeNonce(proof) },
    { name: 'proof', ...judgePairing4(proof) },
    { name: 'limit', ...judgeLimit4(proof) },
  ]
}

function judgeAction4({ target, app, candidate, pastedProof }: ProofToJudge4): Judgement {
  const { kind, claims } = pastedProof
  if (kind === 'session') return createUnknown('A session proof has no action.')
  if (claims.action !== undefined && claims.action !== target.action)
    return createFailure(
      `The input names another action: “${claims.action}”. The proof is checked for “${target.action}”.`,
    )
  if (!candidate.action && app.creates_actions)
    return createPass('The app has no such action. The first valid proof creates the action.')
  for (const { isMet, refuse } of [REQUIREMENTS.action, REQUIREMENTS.status])
    if (!isMet(candidate)) return createFailure(refuse().message)
  return createPass('The action is active.')
}

function judgeProtocol4({ candidate, pastedProof, hasProtocol4 }: ProofToJudge4): Judgement {
  if (!hasProtocol4)
    return createFailure(
      'This platform does not verify protocol 4.0, because the operator has not set WORLD_CHAIN_RPC_URL.',
    )
  if (pastedProof.kind === 'uniqueness' && candidate.action?.protocol === '3.0')
    return createFailure('This action accepts only proofs of protocol 3.0.')
  return createPass('Proofs of protocol 4.0 are accepted.')
}

function judgeFormat4({ pastedProof: { faults }, examination }: ProofToJudge4): Judgement {
  const faulty = new Set(faults.map(({ field }) => field))
  const { unreadable = [], outOfRange = [] } = examination ?? {}
  const describe = (fields: readonly string[], fault: string) =>
    fields.filter((field) => !faulty.has(field)).map((field) => `${field}: ${fault}`)
  const messages = [
    ...faults.map(({ field, fault }) => `${field}: ${fault}`),
    ...describe(unreadable, 'This attribute cannot be decoded.'),
    ...describe(
      outOfRange,
      'This number is outside its range, or belongs to the other kind of proof.',
    ),
  ]
  return messages.length > 0
    ? createFailure(messages.join(' '))
    : createPass('Every field can be read.')
}

function judgeEnvironment({ app, pastedProof: { claims } }: ProofToJudge4): Judgement {
  const environment = app.is_staging ? 'staging' : 'production'
  if (claims.environment === undefined)
    return createPass(`The input names no environment. The app decides: ${environment}.`)
  if (app.is_staging || claims.environment === 'production')
    return createPass(`The ${environment} app accepts the environment ${claims.environment}.`)
  return createFailure(
    `The environment is ${claims.environment}, but a production app accepts only production.`,
  )
}

function judgeRpId({
  target,
  app,
  pastedProof: { claims },
  examination,
}: ProofToJudge4): Judgement {
  const hint = `The rp id of this app is ${app.rp_id}.`
  if (claims.app_id !== undefined && ![target.app_id, app.rp_id].includes(claims.app_id))
    return createFailure(`The input names another app: ${claims.app_id}. ${hint}`)
  if (claims.rp_id !== undefined && claims.rp_id.toLowerCase() !== app.rp_id)
    return createFailure(`The input names another rp id: ${claims.rp_id}. ${hint}`)
  if (examination?.isProven) return createPass(`The proof was made for this app. ${hint}`)
  return createUnknown(`${hint} A proof for another rp id is not valid here.`)
}

function judgeSignal4({ pastedProof: { claims }, examination }: ProofToJudge4): Judgement {
  const { signal, signal_hash = '0x0' } = claims
  if (signal !== undefined) {
    const expected = hashOf(signal)
    if (claims.signal_hash === undefined)
      return createUnknown(
        `The input has no signal hash to compare. The hash of the signal is ${expected}.`,
      )
    return parseField(signal_hash) === parseField(expected)
      ? createPass('The signal hash matches the signal.')
      : createFailure(
          `The signal hash does not match the signal. The hash of the signal is ${expected}.`,
        )
  }
  if (examination?.isProven)
    return createPass(`The proof was made for the signal hash ${signal_hash}.`)
  return createUnknown(
    claims.signal_hash === undefined
      ? 'The input has no signal and no signal hash, so the proof is checked without a signal (0x0). If you used a signal, add it as "signal".'
      : 'The input has no signal, so the proof is checked with the signal hash.',
  )
}

function judgeNonce({ pastedProof: { fields }, examination }: ProofToJudge4): Judgement {
  if (!fields || fields.nonce === '') return createUnknown(UNREADABLE)
  return examination?.isProven
    ? createPass(
        'The proof was made for this nonce. Your server must check that it signed the nonce.',
      )
    : createUnknown(
        'A proof for another nonce is not valid. Compare the nonce with the nonce that your server signed.',
      )
}

function judgePairing4({ examination }: ProofToJudge4): Judgement {
  if (!examination) return createUnknown(UNREADABLE)
  const { isProven, isIssuerRegistered, hasOprfKey } = examination
  if (isProven) return createPass('The proof is valid for these values.')
  if (isProven === false)
    return createFailure(
      'The proof is not valid for these values. Usually it was made for another signal, nonce, action or app.',
    )
  return isIssuerRegistered === false || hasOprfKey === false
    ? createUnknown('Not checked: the key of the issuer or of the relying party is missing.')
    : createUnknown(UNREADABLE)
}

function judgeLimit4({ app, candidate, pastedProof, examination }: ProofToJudge4): Judgement {
  const { action, uses } = candidate
  if (pastedProof.kind === 'session') return createUnknown('A session proof counts no person.')
  if (!action)
    return app.creates_actions
      ? createPass('So far: 0. The new action will allow 1.')
      : createUnknown('Not checked: the app has no such action.')
  if (!examination || examination.unreadable.includes('nullifier')) return createUnknown(UNREADABLE)
  const { isMet, refuse } = REQUIREMENTS.limit
  const times = `So far: ${uses}. Allowed: ${action.max_verifications || 'any number'}.`
  if (isMet(candidate)) return createPass(times)
  return action.allows_repeat
    ? createPass(`${times} The action allows a repeat: the person is not counted again.`)
    : createFailure(`${refuse().message} ${times}`)
}

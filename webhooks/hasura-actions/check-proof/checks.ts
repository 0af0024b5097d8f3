import { formatField, parseField } from '../../../lib/proof/encoding.ts'
import type { Scope } from '../../../lib/proof/scope.ts'
import type { Examination } from '../../../lib/verification/check/verify-proof.ts'
import type { CheckProofQuery } from '../../generated/sdk.ts'
import { type ActionCandidate, REQUIREMENTS } from '../../verify/requirements.ts'
import {
  createFailure,
  createPass,
  createUnknown,
  type Judgement,
  UNREADABLE,
} from './judgement.ts'
import { hashOf, type PastedProof } from './pasted-proof.ts'
import { judgeRoot } from './root-check.ts'

/** A pasted proof with the rows and results that the checks need. */
export type ProofToJudge = {
  /** The app and action to check the proof for. */
  target: { app_id: string; action: string }
  app: CheckProofQuery['app'][number]
  candidate: ActionCandidate
  pastedProof: PastedProof
  scope: Scope
  examination: Examination
}

/** A check with its name and its result. */
export type Check = { name: string } & Judgement

/** Runs the checks of a verification. Their names are part of the API. */
export function runChecks(proof: ProofToJudge): Check[] {
  return [
    { name: 'app', ...judgeApp(proof) },
    { name: 'action', ...judgeAction(proof) },
    { name: 'engine', ...judgeEngine(proof) },
    { name: 'protocol', ...judgeProtocol(proof) },
    { name: 'format', ...judgeFormat(proof) },
    { name: 'signal', ...judgeSignal(proof) },
    { name: 'external_nullifier', ...judgeExternalNullifier(proof) },
    { name: 'root', ...judgeRoot(proof) },
    { name: 'proof', ...judgePairing(proof) },
    { name: 'limit', ...judgeLimit(proof) },
  ]
}

/** Checks that the app is active. */
export function judgeApp({ app }: Pick<ProofToJudge, 'app'>): Judgement {
  if (app.is_archived) return createFailure('The app is archived: verifications are refused.')
  if (app.status !== 'active')
    return createFailure('The app is inactive: verifications are refused.')
  return createPass('The app is active.')
}

function judgeAction({ candidate }: ProofToJudge): Judgement {
  for (const { isMet, refuse } of [REQUIREMENTS.action, REQUIREMENTS.status])
    if (!isMet(candidate)) return createFailure(refuse().message)
  return createPass('The action is active.')
}

/** Checks that the app's proofs are verified here, and not on chain. */
export function judgeEngine({ candidate }: Pick<ProofToJudge, 'candidate'>): Judgement {
  const { isMet, refuse } = REQUIREMENTS.engine
  return isMet(candidate)
    ? createPass('Proofs of this app are verified here.')
    : createFailure(refuse().message)
}

function judgeProtocol({ candidate }: ProofToJudge): Judgement {
  const { isMet, refuse } = REQUIREMENTS.protocol
  return candidate.action && !isMet(candidate)
    ? createFailure(refuse().message)
    : createPass('Proofs of protocol 3.0 are accepted.')
}

function judgeFormat({
  pastedProof: { faults },
  examination: { unreadable },
}: ProofToJudge): Judgement {
  const faulty = new Set(faults.map(({ field }) => field))
  const messages = [
    ...faults.map(({ field, fault }) => `${field}: ${fault}`),
    ...unreadable
      .filter((field) => !faulty.has(field))
      .map((field) => `${field}: This attribute cannot be decoded.`),
  ]
  return messages.length > 0
    ? createFailure(messages.join(' '))
    : createPass('Every field can be read.')
}

function judgeSignal({ pastedProof: { claims, fields } }: ProofToJudge): Judgement {
  const { signal, signal_hash } = claims
  if (signal === undefined) {
    return signal_hash === undefined
      ? createUnknown(
          'The input has no signal and no signal hash, so the proof is checked with the empty signal. If you used a signal, add it as "signal".',
        )
      : createUnknown('The input has no signal, so the proof is checked with the signal hash.')
  }
  const expected = hashOf(signal)
  if (signal_hash === undefined)
    return createUnknown(
      `The input has no signal hash to compare. The hash of the signal is ${expected}.`,
    )
  return parseField(fields.signalHash) === parseField(expected)
    ? createPass('The signal hash matches the signal.')
    : createFailure(
        `The signal hash does not match the signal. The hash of the signal is ${expected}.`,
      )
}

function judgeExternalNullifier({
  target,
  pastedProof: { claims },
  scope,
}: ProofToJudge): Judgement {
  const { app_id, action, external_nullifier } = claims
  const expected = formatField(scope.externalNullifier)
  const hint = `The external nullifier of this app and action is ${expected}.`
  if (app_id !== undefined && app_id !== target.app_id)
    return createFailure(`The input names another app: ${app_id}. ${hint}`)
  if (action !== undefined && action !== target.action)
    return createFailure(`The input names another action: “${action}”. ${hint}`)
  if (external_nullifier === undefined)
    return createUnknown(`The input has no external nullifier to compare. ${hint}`)
  return parseField(external_nullifier) === scope.externalNullifier
    ? createPass('The external nullifier matches this app and action.')
    : createFailure(`The input has another external nullifier. ${hint}`)
}

function judgePairing({ examination: { isProven } }: ProofToJudge): Judgement {
  if (isProven === null) return createUnknown(UNREADABLE)
  return isProven
    ? createPass('The proof is valid for these values.')
    : createFailure(
        'The proof is not valid for these values. Usually it was made for another signal, action or app.',
      )
}

function judgeLimit({ candidate, examination: { unreadable } }: ProofToJudge): Judgement {
  const { action, uses } = candidate
  if (!action) return createUnknown('Not checked: the app has no such action.')
  if (unreadable.includes('nullifier_hash')) return createUnknown(UNREADABLE)
  const { isMet, refuse } = REQUIREMENTS.limit
  const times = `So far: ${uses}. Allowed: ${action.max_verifications || 'any number'}.`
  return isMet(candidate) ? createPass(times) : createFailure(`${refuse().message} ${times}`)
}

import { formatField, parseField } from '../../../lib/proof/encoding.ts'
import type { Scope } from '../../../lib/proof/scope.ts'
import type { Examination } from '../../../lib/verification/check/verify-proof.ts'
import type { CheckProofQuery } from '../../generated/sdk.ts'
import { type FoundAction, REQUIREMENTS } from '../../verify/requirements.ts'
import { type GivenProof, hashOf } from './given-proof.ts'
import { failed, type Judgement, passed, UNREADABLE, unjudged } from './judgement.ts'
import { judgeRoot } from './root-check.ts'

/** Everything that is known about a proof that was pasted. */
export type Known = {
  asked: { app_id: string; action: string }
  app: CheckProofQuery['app'][number]
  found: FoundAction
  given: GivenProof
  scope: Scope
  examined: Examination
}

type Check = { name: string } & Judgement

/** The checks of a verification, by the names that programs know them by: a name is API. */
export function checksOf(known: Known): Check[] {
  return [
    { name: 'app', ...judgeApp(known) },
    { name: 'action', ...judgeAction(known) },
    { name: 'engine', ...judgeEngine(known) },
    { name: 'format', ...judgeFormat(known) },
    { name: 'signal', ...judgeSignal(known) },
    { name: 'external_nullifier', ...judgeExternalNullifier(known) },
    { name: 'root', ...judgeRoot(known) },
    { name: 'proof', ...judgePairing(known) },
    { name: 'limit', ...judgeLimit(known) },
  ]
}

function judgeApp({ app }: Known): Judgement {
  if (app.is_archived) return failed('The app is archived: nobody can verify for it.')
  if (app.status !== 'active') return failed('The app is inactive: nobody can verify for it.')
  return passed('The app is active.')
}

function judgeAction({ found }: Known): Judgement {
  for (const { isMet, refuse } of [REQUIREMENTS.action, REQUIREMENTS.status])
    if (!isMet(found)) return failed(refuse().message)
  return passed('The action is active.')
}

function judgeEngine({ found }: Known): Judgement {
  const { isMet, refuse } = REQUIREMENTS.engine
  return isMet(found) ? passed('Proofs of this app are verified here.') : failed(refuse().message)
}

function judgeFormat({ given: { faults }, examined: { unreadable } }: Known): Judgement {
  const faulty = new Set(faults.map(({ field }) => field))
  const words = [
    ...faults.map(({ field, fault }) => `${field}: ${fault}`),
    ...unreadable
      .filter((field) => !faulty.has(field))
      .map((field) => `${field}: This attribute cannot be decoded.`),
  ]
  return words.length > 0 ? failed(words.join(' ')) : passed('Every field can be read.')
}

function judgeSignal({ given: { stated, fields } }: Known): Judgement {
  const { signal, signal_hash } = stated
  if (signal === undefined) {
    return signal_hash === undefined
      ? unjudged(
          'Neither a signal nor its hash is stated: the proof is checked with the empty signal. If it was made for another one, add it as "signal".',
        )
      : unjudged('No signal is stated to compare with: the proof is checked with the hash.')
  }
  const expected = hashOf(signal)
  if (signal_hash === undefined)
    return unjudged(`No hash is stated to compare with. That of the signal is ${expected}.`)
  return parseField(fields.signalHash) === parseField(expected)
    ? passed('The hash is that of the signal.')
    : failed(`The hash of the signal is ${expected}, and another one is stated.`)
}

function judgeExternalNullifier({ asked, given: { stated }, scope }: Known): Judgement {
  const { app_id, action, external_nullifier } = stated
  const expected = formatField(scope.externalNullifier)
  const its = `That of this app and action is ${expected}.`
  if (app_id !== undefined && app_id !== asked.app_id)
    return failed(`It says that it was made for the app ${app_id}. ${its}`)
  if (action !== undefined && action !== asked.action)
    return failed(`It says that it was made for the action “${action}”. ${its}`)
  if (external_nullifier === undefined)
    return unjudged(`None is stated to compare with. ${its} The proof is checked with it.`)
  return parseField(external_nullifier) === scope.externalNullifier
    ? passed('It is that of this app and action.')
    : failed(`Another one is stated. ${its}`)
}

function judgePairing({ examined: { isProven } }: Known): Judgement {
  if (isProven === null) return unjudged(UNREADABLE)
  return isProven
    ? passed('The proof is valid for these values.')
    : failed(
        'The proof is not valid for these values. Most often it was made for another signal, action or app.',
      )
}

function judgeLimit({ found, examined: { unreadable } }: Known): Judgement {
  const { action, uses } = found
  if (!action) return unjudged('Not judged: the app has no such action.')
  if (unreadable.includes('nullifier_hash')) return unjudged(UNREADABLE)
  const { isMet, refuse } = REQUIREMENTS.limit
  const times = `So far: ${uses}. Allowed: ${action.max_verifications || 'any number'}.`
  return isMet(found) ? passed(times) : failed(`${refuse().message} ${times}`)
}

import { Counter, type Registry } from 'prom-client'
import type { ContractProof, WorldIdContracts } from '../../chain/world-id-contracts.ts'
import type { Log } from '../../runtime/log/log.ts'
import { type ChainFacts, uncachedFacts } from './chain-facts.ts'

/** A verdict about a proof, and the means to compare it with the verifier contract's. */
export type CheckedVerdict = {
  /** The address of the verifier contract. */
  verifier: string
  numbers: ContractProof
  isAccepted: boolean
  /** Verifies the proof once more, with these facts and another time. */
  verifyAgain(again: { facts: ChainFacts; secondsLater: number }): Promise<boolean>
}

/** Compares a verdict with the verifier contract's, if the proof is in the sample. Returns at once. */
export type CrossCheck = (verdict: CheckedVerdict) => void

type Options = {
  contracts: WorldIdContracts
  /** On average, the contract verifies one proof in this many; 0 for none. */
  oneIn: number
  count: CrossCheckCounter
  log: Log
  /** Returns a number from 0 to below 1. */
  random: () => number
}

/**
 * The most cross-checks at a time. Further proofs are left out of the sample, so that a slow chain never collects
 * cross-checks.
 */
const MAX_RUNNING = 4

/** How many seconds the clocks of the service and of the chain's latest block may differ. */
const CLOCK_TOLERANCE_SECONDS = 120

/**
 * Creates the cross-check. It compares valid and invalid proofs, because a contract with a new verification key accepts
 * proofs that the service refuses.
 *
 * A cached fact may be a minute old. So a different verdict is verified again with fresh facts, before and after a second
 * answer of the contract; only a difference that lasts counts. The clock is different both times, so that a proof that
 * expires at this moment is no difference.
 */
export function createCrossCheck({ contracts, oneIn, count, log, random }: Options): CrossCheck {
  const freshFacts = uncachedFacts(contracts)
  let running = 0
  return (verdict) => {
    if (oneIn === 0 || random() * oneIn >= 1 || running >= MAX_RUNNING) return
    running += 1
    void compare(verdict)
      .catch((err: unknown) => {
        log.warn({ err }, 'the verifier contract did not answer a cross-check')
        return 'unanswered' as const
      })
      .then(count)
      .finally(() => {
        running -= 1
      })
  }

  async function compare({ verifier, numbers, isAccepted, verifyAgain }: CheckedVerdict) {
    if ((await contracts.accepts(verifier, numbers)) === isAccepted) return 'agrees'
    const verifyAt = (secondsLater: number) => verifyAgain({ facts: freshFacts, secondsLater })
    const before = await verifyAt(-CLOCK_TOLERANCE_SECONDS)
    const isAcceptedByContract = await contracts.accepts(verifier, numbers)
    const after = await verifyAt(CLOCK_TOLERANCE_SECONDS)
    if (before !== after || after === isAcceptedByContract) return 'agrees'
    log.error(
      { verifier, isAccepted: after, isAcceptedByContract, rpId: String(numbers.rpId) },
      'the verifier contract and this service disagree about a proof of protocol 4.0',
    )
    return 'differs'
  }
}

const ANSWERS = ['agrees', 'differs', 'unanswered'] as const

/** Counts the answer of a cross-check. */
type CrossCheckCounter = (answer: (typeof ANSWERS)[number]) => void

/**
 * Creates the counter of cross-checks. All values start at 0, so that the first difference is an increase, and a service
 * without protocol 4.0 has the metric, too.
 */
export function countCrossChecks(registry: Registry): CrossCheckCounter {
  const crossChecks = new Counter({
    name: 'contract_cross_checks_total',
    help: 'Proofs of protocol 4.0 that the verifier contract cross-checked: it `agrees`, it `differs`, or it was `unanswered`',
    labelNames: ['answer'],
    registers: [registry],
  })
  for (const answer of ANSWERS) crossChecks.inc({ answer }, 0)
  return (answer) => crossChecks.inc({ answer })
}

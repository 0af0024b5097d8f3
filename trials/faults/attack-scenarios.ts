import { setTimeout as sleep } from 'node:timers/promises'
import { createTarget, type TrafficSource } from './attack-target.ts'
import { BUSY_NEIGHBOUR, neighbours } from './neighbours.ts'
import type { Scenario, TestedPlatform } from './scenario.ts'
import { type Outcome, verifyUnderFault } from './verify-people.ts'

/** The scenarios in which another team attacks while people verify. Every person must get 200. */
export function createAttackScenarios(): Record<string, Scenario> {
  const attackers = Object.entries(neighbours).filter(([name]) => name !== BUSY_NEIGHBOUR)
  return Object.fromEntries(
    attackers.map(([name, attack]) => [
      `another team: ${name}`,
      (platform: TestedPlatform) => verifyUnderAttack(platform, attack),
    ]),
  )
}

async function verifyUnderAttack(
  platform: TestedPlatform,
  attack: TrafficSource,
): Promise<Outcome> {
  const { facts } = platform
  const target = await createTarget(facts, platform.root)
  const outcome = await verifyUnderFault(
    facts,
    { ...platform, size: PEOPLE_PER_ATTACK },
    async () => {
      const abortController = new AbortController()
      const attackEnd = attack(target, abortController.signal)
      await sleep(ATTACK_MS)
      abortController.abort()
      await attackEnd
    },
  )
  const errors = [...outcome.answers.keys()].filter((answer) => answer !== '200')
  if (errors.length > 0) throw new Error(`people got ${errors.join(', ')}`)
  return outcome
}

const ATTACK_MS = 6_000
/** Enough people that verifications last longer than the attack. */
const PEOPLE_PER_ATTACK = 1_500

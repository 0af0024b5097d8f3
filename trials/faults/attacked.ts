import { setTimeout as sleep } from 'node:timers/promises'
import { attackerOf, type Use } from './attacker.ts'
import { type Outcome, verifyUnderFault } from './crowd.ts'
import { HONEST, neighbours } from './neighbours.ts'
import type { Scenario, Scene } from './scene.ts'

/** Another team does each of these while people verify: they must not notice. */
export function attackedScenarios(): Record<string, Scenario> {
  const attackers = Object.entries(neighbours).filter(([name]) => name !== HONEST)
  return Object.fromEntries(
    attackers.map(([name, attack]) => [
      `another team: ${name}`,
      (scene: Scene) => verifyBeside(scene, attack),
    ]),
  )
}

async function verifyBeside(scene: Scene, attack: Use): Promise<Outcome> {
  const { facts } = scene
  const target = await attackerOf(facts, scene.root)
  const outcome = await verifyUnderFault(facts, { ...scene, size: ATTACKED_PEOPLE }, async () => {
    const stop = new AbortController()
    const attacking = attack(target, stop.signal)
    await sleep(ATTACK_MS)
    stop.abort()
    await attacking
  })
  const refused = [...outcome.answers.keys()].filter((answer) => answer !== '200')
  if (refused.length > 0) throw new Error(`people were told ${refused.join(', ')}`)
  return outcome
}

const ATTACK_MS = 6_000
/** Enough that somebody verifies for as long as the attack lasts. */
const ATTACKED_PEOPLE = 1_500

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Outcome, verifyUnderFault } from './crowd.ts'
import { HONEST, neighbours, type Use } from './neighbours.ts'
import type { Scenario, Scene } from './scene.ts'

const SignedUp = z.object({ token: z.string() })

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
  const target = { ...facts, apiKey: facts.otherApiKey, newAccount: await signUp(facts.baseUrl) }
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

let attackerCount = 0

/** The token of a new account, which has not verified its address. */
async function signUp(baseUrl: string): Promise<string> {
  attackerCount += 1
  const email = `attacker-${attackerCount}@example.com`
  const body = { email, password: 'difference', name: 'New', team_name: 'New' }
  const headers = { 'content-type': 'application/json' }
  const url = `${baseUrl}/api/v1/signup`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return SignedUp.parse(await response.json()).token
}

import { REAL_PROOF } from '../../../lib/proof/examples/real-requests.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../local/simulator/prove.ts'
import { proveAs } from '../../../local/simulator/prove-as.ts'
import { signIn } from '../../../packages/platform/commands/demo/sign-in.ts'
import { APP, createPersonRequest, PEOPLE_ROOT, verifyPerson } from '../../faults/verify-people.ts'
import { expectThat, type World } from './world.ts'

/** A real person's proof, under production's keys: it counts once, also when it is sent again. */
export async function verifyRealPerson({ baseUrl, stack }: World): Promise<string> {
  const path = `/api/v2/verify/${REAL_PROOF.appId}`
  const first = await postJson(baseUrl + path, REAL_PROOF.body)
  expectThat(first.status === 200, `the real proof is refused: ${JSON.stringify(first)}`)
  const again = await postJson(baseUrl + path, REAL_PROOF.body)
  expectThat(again.status === 400, `the same person is counted again: ${JSON.stringify(again)}`)
  const hash = REAL_PROOF.body.nullifier_hash
  const uses = await stack.sql(`select uses from nullifier where nullifier_hash = '${hash}'`)
  expectThat(uses === '1', `the person has ${uses} uses`)
  return 'counted once, and rejected the second time'
}

/** Simulated people with proofs of the circuit, through the API and through a wallet at the sign-in page. */
export async function verifySimulatedPerson(world: World, name: string): Promise<string> {
  const { baseUrl, surroundings } = world
  const key = await developmentKey()
  const prove = { rpcUrl: surroundings.rpcUrl, prove: createProver(key) }
  const proof = await proveAs(name, { appId: APP, action: 'vote' }, prove)
  const told = await verifyPerson(baseUrl, proof)
  expectThat(told === '200', `the simulated person is told ${told}`)
  const again = await verifyPerson(baseUrl, proof)
  expectThat(again === 'max_verifications_reached', `the second time they are told ${again}`)
  return 'a proof of the circuit, counted once'
}

/** A person signs in to a website by OpenID Connect. */
export async function signInPerson(world: World, name: string): Promise<string> {
  const { authUrl, demoUrl, surroundings } = world
  await signIn({ authUrl, demoUrl, rpcUrl: surroundings.rpcUrl }, name)
  return 'code flow with PKCE, ID token and claims read by the website'
}

/** Lets the load's people in. */
export async function admitCrowd({ surroundings, baseUrl }: World): Promise<void> {
  await publishRoot({ rpcUrl: surroundings.rpcUrl, group: 'staging', root: PEOPLE_ROOT })
  const told = await verifyPerson(baseUrl, await createPersonRequest(PEOPLE_ROOT))
  expectThat(told === '200', `the first of the crowd is told ${told}`)
}

export async function postJson(url: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json()
  return { status: response.status, body: answer }
}

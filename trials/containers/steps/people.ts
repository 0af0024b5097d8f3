import { REAL_PROOF } from '../../../lib/proof/examples/real-requests.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../local/simulator/prove.ts'
import { proveForPerson } from '../../../local/simulator/prove-for-person.ts'
import { signIn } from '../../../packages/platform/commands/demo/sign-in.ts'
import { APP, createPersonRequest, PEOPLE_ROOT, verifyPerson } from '../../faults/verify-people.ts'
import { expectThat, type World } from './world.ts'

/** Sends a real person's proof twice, with production's keys. The platform must count it once. */
export async function verifyRealPerson({ baseUrl, stack }: World): Promise<string> {
  const path = `/api/v2/verify/${REAL_PROOF.appId}`
  const first = await postJson(baseUrl + path, REAL_PROOF.body)
  expectThat(first.status === 200, `the real proof was rejected: ${JSON.stringify(first)}`)
  const second = await postJson(baseUrl + path, REAL_PROOF.body)
  expectThat(second.status === 400, `the person was counted twice: ${JSON.stringify(second)}`)
  const hash = REAL_PROOF.body.nullifier_hash
  const uses = await stack.sql(`select uses from nullifier where nullifier_hash = '${hash}'`)
  expectThat(uses === '1', `the person must have 1 use; got ${uses}`)
  return 'counted once, and rejected the second time'
}

/** Verifies a simulated person twice with a proof of the circuit. The platform must count it once. */
export async function verifySimulatedPerson(world: World, name: string): Promise<string> {
  const { baseUrl, outsideServices } = world
  const key = await developmentKey()
  const prove = { rpcUrl: outsideServices.rpcUrl, prove: createProver(key) }
  const proof = await proveForPerson(name, { appId: APP, action: 'vote' }, prove)
  const first = await verifyPerson(baseUrl, proof)
  expectThat(first === '200', `the simulated person must get 200; got ${first}`)
  const second = await verifyPerson(baseUrl, proof)
  expectThat(
    second === 'max_verifications_reached',
    `the second verification must get max_verifications_reached; got ${second}`,
  )
  return 'a proof of the circuit, counted once'
}

/** Signs a person in to a website by OpenID Connect. */
export async function signInPerson(world: World, name: string): Promise<string> {
  const { authUrl, demoUrl, outsideServices } = world
  await signIn({ authUrl, demoUrl, rpcUrl: outsideServices.rpcUrl }, name)
  return 'code flow with PKCE, ID token and claims read by the website'
}

/** Publishes the root of the load's people, and verifies the first person. */
export async function admitCrowd({ outsideServices, baseUrl }: World): Promise<void> {
  await publishRoot({ rpcUrl: outsideServices.rpcUrl, group: 'staging', root: PEOPLE_ROOT })
  const outcome = await verifyPerson(baseUrl, await createPersonRequest(PEOPLE_ROOT))
  expectThat(outcome === '200', `the first person of the load must get 200; got ${outcome}`)
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

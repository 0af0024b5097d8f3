import { expect, test } from 'vitest'
import {
  chain,
  countsOf,
  makeAction4,
  makeApp4,
  nullifierOf,
  platform,
  response4,
  result4,
  sessionResult4,
  setTheScene4,
  verify4,
} from '../../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

const PASSPORT = 9303n
/** An issuer that somebody has registered: the registry is open to everyone. */
const STRANGER = 4_242n

test('a valid proof of a credential that the action does not accept counts no person', async () => {
  const body = await passportResult('vote')
  expect(await verify4(body)).toMatchObject({
    status: 400,
    body: {
      code: 'all_verifications_failed',
      results: [{ identifier: 'passport', success: false, code: 'credential_not_accepted' }],
    },
  })
  expect(await countsOf()).not.toHaveProperty(nullifierOf(body))
})

test('an action counts people with each credential that it accepts', async () => {
  await makeAction4({ action: 'travel', credentials: ['passport', 'proof_of_human'] })
  const body = await passportResult('travel')
  expect((await verify4(body)).status).toBe(200)
  expect(await countsOf('travel')).toEqual({ [nullifierOf(body)]: 1 })
  expect((await verify4(await result4({ action: 'travel' }))).status).toBe(200)
})

test('an action without proof_of_human refuses proof_of_human', async () => {
  await makeAction4({ action: 'border', credentials: ['passport'] })
  expect((await verify4(await result4({ action: 'border' }))).body).toMatchObject({
    results: [{ code: 'credential_not_accepted' }],
  })
})

test.each(['proof_of_human', 'passport', 'member', 'orb', 'constructor'])(
  'a credential of an issuer that a stranger registered is refused under the name %s',
  async (identifier) => {
    chain.state.issuers.set(STRANGER, { x: 11n, y: 12n })
    const body = await result4({ issuer: STRANGER })
    const responses = body.responses.map((response) => ({ ...response, identifier }))
    expect((await verify4({ ...body, responses })).body).toMatchObject({
      results: [{ identifier, code: 'invalid_credential_issuer' }],
    })
    expect(await countsOf()).not.toHaveProperty(nullifierOf(body))
  },
)

test('a person with an accepted and another credential is counted once, for the accepted one', async () => {
  chain.state.issuers.set(PASSPORT, { x: 11n, y: 12n })
  const common = { nonce: 5n, nullifier: 606n }
  const passport = await response4({ ...common, issuer: PASSPORT })
  const responses = [{ ...passport, identifier: 'passport' }, await response4(common)]
  const body = await result4(common, { responses })
  expect(await verify4(body)).toMatchObject({
    status: 200,
    body: { results: [{ code: 'credential_not_accepted' }, { success: true }] },
  })
  expect(await countsOf()).toMatchObject({ [nullifierOf(body)]: 1 })
})

test('an action that is created with other credentials while the proof is checked does not count the person', async () => {
  const id = await makeApp4()
  await platform.db.query('update app set creates_actions = true where id = $1', [id])
  const body = await result4({ appId: id, action: 'raced' })
  // The new app's OPRF key is not cached, so the check of the proof asks the chain.
  chain.state.beforeAnswer = async () => {
    chain.state.beforeAnswer = async () => {}
    await makeAction4({ action: 'raced', credentials: ['passport'] }, id)
  }
  expect((await verify4(body, id)).body).toMatchObject({
    results: [{ code: 'credential_not_accepted' }],
  })
  expect(await countsOf('raced', id)).toEqual({})
})

test('a session accepts each known credential, and refuses the credential of a stranger', async () => {
  chain.state.issuers.set(PASSPORT, { x: 11n, y: 12n })
  chain.state.issuers.set(STRANGER, { x: 11n, y: 12n })
  const ofPassport = await sessionResult4({ issuer: PASSPORT })
  const responses = ofPassport.responses.map((each) => ({ ...each, identifier: 'passport' }))
  expect((await verify4({ ...ofPassport, responses })).status).toBe(200)
  expect((await verify4(await sessionResult4({ issuer: STRANGER }))).body).toMatchObject({
    results: [{ code: 'invalid_credential_issuer' }],
  })
})

test.each([
  ['{}'],
  ['{member}'],
  ['{proof_of_human,null}'],
  ['{mnc,mnc,mnc,mnc,mnc}'],
  ['{{proof_of_human},{passport}}'],
])('the database refuses the credentials %s of an action', async (credentials) => {
  await expect(
    platform.db.query('update action set credentials = $1', [credentials]),
  ).rejects.toThrow(/action_credentials_are_known/)
})

async function passportResult(action: string) {
  chain.state.issuers.set(PASSPORT, { x: 11n, y: 12n })
  const body = await result4({ action, issuer: PASSPORT })
  const responses = body.responses.map((each) => ({ ...each, identifier: 'passport' }))
  return { ...body, responses }
}

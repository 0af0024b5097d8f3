import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { startPlatform } from 'personhood-platform'
import { createCouponApp } from './app.mjs'

const action = 'vote'
let platform
let app
let address

before(async () => {
  platform = await startPlatform()
  app = createCouponApp({ ...platform, action }).listen(0)
  await once(app, 'listening')
  address = `http://localhost:${app.address().port}/coupon`
})
after(async () => {
  app.close()
  await platform.close()
})

/** Makes a proof of a simulated person, in the form that a widget returns. */
const createProof = (identity) => platform.prove({ app: platform.appId, action, identity })

async function requestCoupon(proof) {
  const answer = await fetch(address, { method: 'POST', body: JSON.stringify(proof) })
  return { status: answer.status, ...(await answer.json()) }
}

test('each person gets one coupon, and a second request is rejected', async () => {
  const proof = await createProof('ada')
  const ada = await requestCoupon(proof)
  const bob = await requestCoupon(await createProof('bob'))
  assert.deepEqual([ada.status, bob.status], [200, 200])
  assert.notEqual(ada.coupon, bob.coupon)

  const secondReply = await requestCoupon(proof)
  assert.deepEqual(secondReply, { status: 409, problem: 'You already have your coupon.' })
})

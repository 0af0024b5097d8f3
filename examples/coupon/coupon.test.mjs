import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { startPlatform } from 'personhood-platform'
import { couponApp } from './app.mjs'

const action = 'vote'
let platform
let app
let address

before(async () => {
  platform = await startPlatform()
  app = couponApp({ ...platform, action }).listen(0)
  await once(app, 'listening')
  address = `http://localhost:${app.address().port}/coupon`
})
after(async () => {
  app.close()
  await platform.close()
})

/** What the widget in the browser of a simulated person hands over. */
const proofOf = (identity) => platform.prove({ app: platform.appId, action, identity })

async function ask(proof) {
  const answer = await fetch(address, { method: 'POST', body: JSON.stringify(proof) })
  return { status: answer.status, ...(await answer.json()) }
}

test('two people get a coupon each, and nobody gets a second one', async () => {
  const proof = await proofOf('ada')
  const ada = await ask(proof)
  const bob = await ask(await proofOf('bob'))
  assert.deepEqual([ada.status, bob.status], [200, 200])
  assert.notEqual(ada.coupon, bob.coupon)

  const again = await ask(proof)
  assert.deepEqual(again, { status: 409, problem: 'You have your coupon already.' })
})

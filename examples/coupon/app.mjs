import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

/**
 * Creates an app that gives each person one coupon. A web page sends the proof of a widget with `POST /coupon`.
 *
 * @param platform.baseUrl the developer API that verifies proofs
 * @param platform.appId the id of the app; `action` is the action that each person does once
 */
export function createCouponApp({ baseUrl, appId, action }) {
  return createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/coupon') return send(response, 404, {})
    const proof = await json(request).catch(() => null)
    if (proof === null) return send(response, 400, { problem: 'Send the proof as JSON.' })
    const verified = await verify({ ...proof, action })
    if (verified.success) return send(response, 200, { coupon: couponFor(verified.nullifier_hash) })
    if (verified.code === 'max_verifications_reached')
      return send(response, 409, { problem: 'You already have your coupon.' })
    send(response, 400, { problem: verified.detail })
  })

  /** Verifies a proof for the app's action. A proof for another action is invalid. */
  async function verify(proof) {
    const answer = await fetch(`${baseUrl}/api/v2/verify/${appId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(proof),
    })
    return answer.json()
  }
}

const coupons = new Map()

/** Returns the coupon of a person. The app knows only the person's nullifier. */
function couponFor(nullifier) {
  if (!coupons.has(nullifier)) coupons.set(nullifier, randomUUID())
  return coupons.get(nullifier)
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

/**
 * An app that gives each person one coupon: `POST /coupon` with the proof that a widget made.
 *
 * @param platform.baseUrl the developer API that verifies proofs
 * @param platform.appId the app's id there; `action` is the one that people do once
 */
export function couponApp({ baseUrl, appId, action }) {
  return createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/coupon') return send(response, 404, {})
    const proof = await json(request).catch(() => null)
    if (proof === null) return send(response, 400, { problem: 'There is no proof.' })
    const verified = await verify({ ...proof, action })
    if (verified.success) return send(response, 200, { coupon: couponFor(verified.nullifier_hash) })
    if (verified.code === 'max_verifications_reached')
      return send(response, 409, { problem: 'You have your coupon already.' })
    send(response, 400, { problem: verified.detail })
  })

  /** The action is the app's own, whatever was sent: a proof for another one does not hold for it. */
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

/** The person's number for this action stands for them: the app learns nothing else. */
function couponFor(person) {
  if (!coupons.has(person)) coupons.set(person, randomUUID())
  return coupons.get(person)
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

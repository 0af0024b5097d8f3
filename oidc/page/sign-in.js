import { BridgeUnavailable, requestProof } from './bridge.js'
import { encode } from './uqr.js'

/** What the server wrote into the page; see sign-in-page.ts. */
const facts = JSON.parse(byId('facts').textContent)

byId('cancel').addEventListener('click', () => cancelAndReturn())
if (!facts.refused) {
  byId('again')
    .querySelector('button')
    .addEventListener('click', () => attemptSignIn())
  void attemptSignIn()
}

/** One attempt to sign in, which ends with the way back to the app or with what went wrong. */
async function attemptSignIn() {
  setVisible({ again: false })
  showStatus('Getting ready …')
  const waiting = new AbortController()
  try {
    const request = await requestProof(facts, proofRequest())
    offerLink(request.link)
    showStatus('Scan the code with your wallet.')
    const answer = await request.answer({
      onSeen: () => showStatus('Now approve it in your wallet.'),
      signal: waiting.signal,
    })
    setVisible({ connect: false })
    if (answer.error_code)
      throw new Refusal(
        WALLET_ERRORS[answer.error_code] ?? 'Your wallet could not answer. Try again.',
      )
    showStatus('Checking the answer of your wallet …')
    await continueSignIn(await postJson(facts.submitTo, proofFields(answer)))
  } catch (error) {
    waiting.abort()
    setVisible({ connect: false, again: true })
    showStatus(explainError(error), 'problem')
    byId('again').querySelector('button').focus()
  }
}

/** What the wallet is asked to prove: the sign-in action (`''`) of this app, bound to this sign-in. */
function proofRequest() {
  return {
    app_id: facts.appId,
    action: '',
    // The wallet is where somebody looks who was shown this code by another website.
    action_description: `Sign in to ${facts.appName} at ${facts.site}. Approve it only if you began it there.`,
    signal: facts.signalHash,
    credential_types: facts.levels,
    // The weakest level that will do.
    verification_level: facts.levels.includes('device') ? 'device' : facts.levels.at(-1),
  }
}

function offerLink(link) {
  byId('open').href = link
  const simulate = document.getElementById('simulate')
  if (simulate)
    simulate.href = `${facts.simulatorUrl}/?${new URLSearchParams({ connect_url: link })}`
  byId('code').replaceChildren(drawQrCode(encode(link, { border: 0 })))
  setVisible({ connect: true })
}

/** Draws a QR code as a single SVG path. */
function drawQrCode({ size, data }) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  svg.setAttribute('shape-rendering', 'crispEdges')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  path.setAttribute('d', squares.join(''))
  svg.append(path)
  return svg
}

function proofFields({ proof, merkle_root, nullifier_hash, verification_level, credential_type }) {
  return {
    proof,
    merkle_root,
    nullifier_hash,
    verification_level: verification_level ?? credential_type,
  }
}

async function cancelAndReturn() {
  try {
    await continueSignIn(await postJson(`${facts.submitTo}/cancel`, {}))
  } catch (error) {
    showStatus(explainError(error), 'problem')
  }
}

/** The wallet or the server has refused; the message says to the person why, and what to do. */
class Refusal extends Error {}

async function postJson(path, fields) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ csrf: facts.csrf, ...fields }),
  })
  const body = await response.json()
  if (!response.ok) throw new Refusal(explainRefusal(body))
  return body
}

async function continueSignIn({ redirect_to }) {
  showStatus('Going back …')
  location.assign(redirect_to)
}

/** What to tell a person about the codes that a wallet answers instead of a proof. */
const WALLET_ERRORS = {
  verification_rejected: 'You declined in your wallet. Try again, or cancel.',
  credential_unavailable:
    'Your wallet is not verified in a way that this app accepts. Verify it, then try again.',
  inclusion_proof_pending: 'Your wallet is not ready yet. Try again in an hour or so.',
  inclusion_proof_failed: 'Your wallet could not answer. Try again.',
  max_verifications_reached:
    'Your wallet says that you did this as often as is allowed. Cancel to go back.',
  invalid_network:
    'Your wallet and this app do not fit together: one of them is for tests. Use another wallet, or cancel.',
}

const NOT_ACCEPTED = 'The answer of your wallet was not accepted. Try again, or use another wallet.'

/** What to tell a person about the server's error codes; its own words are for developers. */
const SERVER_ERRORS = {
  invalid_format: NOT_ACCEPTED,
  invalid_merkle_root: NOT_ACCEPTED,
  invalid_proof: NOT_ACCEPTED,
  invalid_request: NOT_ACCEPTED,
  root_too_old: 'The answer of your wallet is out of date. Try again.',
  proof_used: 'This sign-in has been completed already. Go back and begin again.',
  permission_denied: 'This page is out of date. Reload it, then try again.',
  rate_limited: 'Too many attempts. Wait a minute, then try again.',
  unavailable: 'Signing in does not work just now. Try again in a minute.',
}

/** Codes whose words the server has written for the person who signs in. */
const WRITTEN_FOR_PEOPLE = ['sign_in_expired', 'action_inactive', 'invalid_engine']

function explainRefusal({ code, detail }) {
  if (WRITTEN_FOR_PEOPLE.includes(code)) return detail
  return SERVER_ERRORS[code] ?? 'Something went wrong. Try again.'
}

function explainError(error) {
  if (error instanceof Refusal) return error.message
  if (error instanceof BridgeUnavailable)
    return 'This page cannot reach your wallet. Check your connection, then try again.'
  if (error instanceof TypeError)
    return 'This page cannot reach its server. Check your connection, then try again.'
  return 'Something went wrong. Try again.'
}

function showStatus(text, kind = '') {
  const status = byId('status')
  status.textContent = text
  status.className = kind
}

function setVisible(visible) {
  for (const [id, isVisible] of Object.entries(visible)) byId(id).hidden = !isVisible
}

function byId(id) {
  return document.getElementById(id)
}

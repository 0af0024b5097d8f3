import { BridgeUnavailable, RequestGone, requestProof, resumeProof } from './bridge.js'
import { encode } from './uqr.js'

/** The data that the server put into the page; see sign-in-page.ts. */
const facts = JSON.parse(byId('facts').textContent)
const { texts } = facts

/** The time at which the sign-in expires at the server, on this browser's clock. */
const deadline = Date.now() + facts.secondsLeft * 1_000

/** True on a touch screen or a narrow screen, which is probably a phone. A phone cannot scan its own screen. */
const isPhone = matchMedia('(pointer: coarse), (max-width: 30rem)').matches

/**
 * The number of times in a row that the page automatically sends a new request after the bridge has dropped the
 * previous request.
 */
const MAX_RENEWALS = 3

let hasEnded = false
let attempt = new AbortController()

byId('cancel').addEventListener('click', () => cancelAndReturn())
hideMissingLogo()
if (!facts.isRefused) {
  if (isPhone) showWalletFirst()
  byId('again').querySelector('button').addEventListener('click', tryAgain)
  setInterval(showTimeLeft, 1_000)
  void attemptSignIn()
}

/** Starts a new sign-in if this one has expired at the server; otherwise sends a new request to the wallet. */
function tryAgain() {
  if (hasEnded) return location.assign(facts.restartUrl)
  // A failed attempt has already forgotten its request, unless the bridge could not be reached.
  if (!attempt.signal.aborted) forgetLink()
  attempt.abort()
  void attemptSignIn()
}

/** Makes one attempt to sign in. Returns to the app, or shows the problem unless the attempt was aborted. */
async function attemptSignIn(renewals = 0) {
  setVisible({ again: false })
  showStatus(texts.getting_ready)
  attempt = new AbortController()
  const { signal } = attempt
  try {
    const request = await openRequest()
    offerLink(request.link)
    showStatus(isPhone ? texts.open_wallet : texts.scan)
    const answer = await request.answer({ onSeen: () => showStatus(texts.approve), signal })
    // The bridge delivers a response only once.
    forgetLink()
    setVisible({ connect: false, again: false })
    if (answer.error_code)
      throw new Refusal(texts[WALLET_ERRORS[answer.error_code]] ?? texts.wallet_failed)
    showStatus(texts.checking)
    await continueSignIn(await postJson(facts.submitTo, proofFields(answer)))
  } catch (error) {
    // The timer has expired, or the person has cancelled or tried again.
    if (signal.aborted) return
    if (!(error instanceof BridgeUnavailable) || error instanceof RequestGone) forgetLink()
    attempt.abort()
    if (error instanceof RequestGone && renewals < MAX_RENEWALS) return attemptSignIn(renewals + 1)
    showProblem(explainError(error))
  }
}

/**
 * Resumes the request of this tab, or sends a new request. A phone may unload the page while the wallet is open, and
 * reload it when the person returns. Resuming keeps the person's approval.
 */
async function openRequest() {
  const link = recallLink()
  if (link) {
    // A wallet may have fetched the request without responding. So the person can try again.
    setVisible({ again: true })
    return resumeProof(facts, link)
  }
  const request = await requestProof(facts, proofRequest())
  keepLink(request.link)
  return request
}

/** Reads the link from the session storage. A browser may forbid the storage; then a reload loses the request. */
function recallLink() {
  try {
    return sessionStorage.getItem(facts.submitTo)
  } catch {
    return null
  }
}

function keepLink(link) {
  try {
    sessionStorage.setItem(facts.submitTo, link)
  } catch {}
}

function forgetLink() {
  try {
    sessionStorage.removeItem(facts.submitTo)
  } catch {}
}

function showProblem(text) {
  setVisible({ connect: false, again: true })
  showStatus(text, 'problem')
  byId('again').querySelector('button').focus()
}

/** Shows the time left, and ends the attempt when the sign-in has expired at the server. */
function showTimeLeft() {
  const seconds = Math.ceil((deadline - Date.now()) / 1_000)
  if (seconds > 0) {
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    byId('time').textContent = texts.time_left.replace('{time}', time)
  } else if (!hasEnded) {
    hasEnded = true
    attempt.abort()
    forgetLink()
    showProblem(texts.expired)
  }
}

/** Returns the request for a proof: for the sign-in action (`''`) of this app, and bound to this sign-in. */
function proofRequest() {
  const { appName: app, site } = facts
  return {
    app_id: facts.appId,
    action: '',
    // The wallet shows this text, so that a person notices when another website has copied the code.
    action_description: texts.question.replaceAll(/\{(\w+)\}/g, (_, name) => ({ app, site })[name]),
    signal: facts.signalHash,
    credential_types: facts.levels,
    // The weakest accepted level.
    verification_level: facts.levels.includes('device') ? 'device' : facts.levels.at(-1),
  }
}

/** Removes a logo that cannot be loaded. Loading may have failed before this script ran. */
function hideMissingLogo() {
  const logo = document.getElementById('logo')
  logo?.addEventListener('error', () => logo.remove())
  if (logo?.complete && logo.naturalWidth === 0) logo.remove()
}

function showWalletFirst() {
  const elsewhere = byId('elsewhere')
  elsewhere.open = false
  byId('connect').querySelector('.first').after(elsewhere)
  document.body.classList.add('phone')
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

/** Cancels the sign-in and returns to the app, even if the sign-in has expired or the server is unreachable. */
async function cancelAndReturn() {
  attempt.abort()
  forgetLink()
  const answer = await postJson(`${facts.submitTo}/cancel`, {}).catch(() => null)
  await continueSignIn(answer ?? { redirect_to: facts.cancelUrl })
}

/** A rejection by the wallet or the server. The message tells the person the reason and what to do. */
class Refusal extends Error {}

async function postJson(path, fields) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ csrf: facts.csrf, ...fields }),
  })
  const body = await response.json()
  if (response.ok) return body
  if (ENDED.includes(body.code)) hasEnded = true
  throw new Refusal(texts[SERVER_ERRORS[body.code]] ?? texts.failed)
}

async function continueSignIn({ redirect_to }) {
  showStatus(texts.going_back)
  location.assign(redirect_to)
}

/** The texts for the error codes of wallets. */
const WALLET_ERRORS = {
  verification_rejected: 'declined',
  credential_unavailable: 'no_credential',
  inclusion_proof_pending: 'unknown_wallet',
  inclusion_proof_failed: 'wallet_failed',
  max_verifications_reached: 'often_enough',
  invalid_network: 'wrong_network',
}

/** The texts for the server's error codes. The server's own messages are for developers. */
const SERVER_ERRORS = {
  sign_in_expired: 'expired',
  proof_used: 'completed',
  action_inactive: 'switched_off',
  invalid_engine: 'not_here',
  invalid_merkle_root: 'unknown_wallet',
  invalid_format: 'not_accepted',
  invalid_proof: 'not_accepted',
  invalid_request: 'not_accepted',
  root_too_old: 'out_of_date',
  permission_denied: 'reload',
  rate_limited: 'too_many',
  unavailable: 'unavailable',
}

/** The codes after which this sign-in has ended and the person must start a new one. */
const ENDED = ['sign_in_expired', 'proof_used']

function explainError(error) {
  if (error instanceof Refusal) return error.message
  if (error instanceof BridgeUnavailable) return texts.no_wallet
  return error instanceof TypeError ? texts.no_server : texts.failed
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

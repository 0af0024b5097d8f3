import { BridgeUnavailable, RequestGone, requestProof, resumeProof } from './bridge.js'
import { encode } from './uqr.js'

/** What the server wrote into the page; see sign-in-page.ts. */
const facts = JSON.parse(byId('facts').textContent)
const { texts } = facts

/** When the sign-in ends at the server, on this browser's clock. */
const deadline = Date.now() + facts.secondsLeft * 1_000

/** People with a phone cannot scan what it shows. */
const isPhone = matchMedia('(pointer: coarse), (max-width: 30rem)').matches

/** How often in a row the page asks anew by itself, when the bridge has forgotten its request. */
const MAX_RENEWALS = 3

let hasEnded = false
let attempt = new AbortController()

byId('cancel').addEventListener('click', () => cancelAndReturn())
hideMissingLogo()
if (!facts.refused) {
  if (isPhone) showWalletFirst()
  byId('again').querySelector('button').addEventListener('click', tryAgain)
  setInterval(showTimeLeft, 1_000)
  void attemptSignIn()
}

/** A sign-in that has ended at the server begins anew; otherwise the wallet is asked again, in place. */
function tryAgain() {
  if (hasEnded) return location.assign(facts.restartAt)
  // An attempt that has failed has forgotten its request already, unless the bridge could not be reached.
  if (!attempt.signal.aborted) forgetLink()
  attempt.abort()
  void attemptSignIn()
}

/** One attempt to sign in, which ends with the way back to the app or with what went wrong. */
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
    // The bridge hands an answer over once.
    forgetLink()
    setVisible({ connect: false, again: false })
    if (answer.error_code)
      throw new Refusal(texts[WALLET_ERRORS[answer.error_code]] ?? texts.wallet_failed)
    showStatus(texts.checking)
    await continueSignIn(await postJson(facts.submitTo, proofFields(answer)))
  } catch (error) {
    // By the timer, or by a person who cancels or tries again.
    if (signal.aborted) return
    if (!(error instanceof BridgeUnavailable) || error instanceof RequestGone) forgetLink()
    attempt.abort()
    if (error instanceof RequestGone && renewals < MAX_RENEWALS) return attemptSignIn(renewals + 1)
    showProblem(explainError(error))
  }
}

/**
 * Opens the request that this tab has left at the bridge, or a new one. A phone drops the page while the wallet is open,
 * and loads it again when the person comes back: the approval must not be lost.
 */
async function openRequest() {
  const link = recallLink()
  if (link) {
    // The wallet that has taken the request may never answer.
    setVisible({ again: true })
    return resumeProof(facts, link)
  }
  const request = await requestProof(facts, proofRequest())
  keepLink(request.link)
  return request
}

/** A browser may refuse the storage: then the page works as long as it is kept. */
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

/** Counts down, and ends the attempt when the server has forgotten the sign-in. */
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

/** What the wallet is asked to prove: the sign-in action (`''`) of this app, bound to this sign-in. */
function proofRequest() {
  const { appName: app, site } = facts
  return {
    app_id: facts.appId,
    action: '',
    // The wallet is where somebody looks who was shown this code by another website.
    action_description: texts.question.replaceAll(/\{(\w+)\}/g, (_, name) => ({ app, site })[name]),
    signal: facts.signalHash,
    credential_types: facts.levels,
    // The weakest level that will do.
    verification_level: facts.levels.includes('device') ? 'device' : facts.levels.at(-1),
  }
}

/** A logo that cannot be loaded leaves no hole; it may have failed before this script ran. */
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

/** Goes back to the app, whatever the server says: also when the sign-in has ended or the server is away. */
async function cancelAndReturn() {
  attempt.abort()
  forgetLink()
  const told = await postJson(`${facts.submitTo}/cancel`, {}).catch(() => null)
  await continueSignIn(told ?? { redirect_to: facts.leaveTo })
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
  if (response.ok) return body
  if (ENDED.includes(body.code)) hasEnded = true
  throw new Refusal(texts[SERVER_ERRORS[body.code]] ?? texts.failed)
}

async function continueSignIn({ redirect_to }) {
  showStatus(texts.going_back)
  location.assign(redirect_to)
}

/** The texts about the codes that a wallet answers instead of a proof. */
const WALLET_ERRORS = {
  verification_rejected: 'declined',
  credential_unavailable: 'no_credential',
  inclusion_proof_pending: 'unknown_wallet',
  inclusion_proof_failed: 'wallet_failed',
  max_verifications_reached: 'often_enough',
  invalid_network: 'wrong_network',
}

/** The texts about the server's error codes; its own words are for developers. */
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

/** Codes after which this sign-in can't go on, and another must begin. */
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

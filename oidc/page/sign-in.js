import { ask, BridgeAway } from './bridge.js'
import { encode } from './uqr.js'

/** What the server wrote into the page; see sign-in-page.ts. */
const facts = JSON.parse(byId('facts').textContent)

byId('cancel').addEventListener('click', () => leave())
if (!facts.refused) {
  byId('again')
    .querySelector('button')
    .addEventListener('click', () => signIn())
  void signIn()
}

/** One attempt to sign in, which ends with the way back to the app or with what went wrong. */
async function signIn() {
  show({ again: false })
  say('Getting ready …')
  const waiting = new AbortController()
  try {
    const request = await ask(facts, question())
    offer(request.link)
    say('Scan the code with your wallet.')
    const answer = await request.answer({
      onSeen: () => say('Now approve it in your wallet.'),
      signal: waiting.signal,
    })
    show({ connect: false })
    if (answer.error_code) throw new Refusal(walletSaid(answer.error_code))
    say('Checking your proof …')
    await goOn(await post(facts.submitTo, proofIn(answer)))
  } catch (error) {
    waiting.abort()
    show({ connect: false, again: true })
    say(explain(error), 'problem')
    byId('again').querySelector('button').focus()
  }
}

/** What the wallet is asked to prove: the sign-in action (`''`) of this app, bound to this sign-in. */
function question() {
  return {
    app_id: facts.appId,
    action: '',
    action_description: `Sign in to ${facts.appName}`,
    signal: facts.signalHash,
    credential_types: ['orb', 'device'],
    verification_level: 'device',
  }
}

function offer(link) {
  byId('open').href = link
  const simulate = document.getElementById('simulate')
  if (simulate)
    simulate.href = `${facts.simulatorUrl}/?${new URLSearchParams({ connect_url: link })}`
  byId('code').replaceChildren(drawing(encode(link, { border: 0 })))
  show({ connect: true })
}

/** Draws a QR code as a single SVG path. */
function drawing({ size, data }) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  svg.setAttribute('shape-rendering', 'crispEdges')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  path.setAttribute('d', squares.join(''))
  svg.append(path)
  return svg
}

function proofIn({ proof, merkle_root, nullifier_hash, verification_level, credential_type }) {
  return {
    proof,
    merkle_root,
    nullifier_hash,
    verification_level: verification_level ?? credential_type,
  }
}

async function leave() {
  try {
    await goOn(await post(`${facts.submitTo}/cancel`, {}))
  } catch (error) {
    say(explain(error), 'problem')
  }
}

/** Why the wallet or the server has refused, in words that are written for people. */
class Refusal extends Error {}

async function post(path, fields) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ csrf: facts.csrf, ...fields }),
  })
  const body = await response.json()
  if (!response.ok) throw new Refusal(body.detail)
  return body
}

async function goOn({ redirect_to }) {
  say('Going back …')
  location.assign(redirect_to)
}

/** Explains the code that a wallet answers instead of a proof. */
function walletSaid(code) {
  const said = {
    verification_rejected: 'You declined in your wallet.',
    credential_unavailable: 'Your wallet holds no credential that this app accepts.',
    inclusion_proof_pending: 'Your wallet is not ready yet: try again in an hour or so.',
    inclusion_proof_failed: 'Your wallet could not make the proof: try again.',
    max_verifications_reached: 'Your wallet says that you did this as often as is allowed.',
    invalid_network:
      'This app takes proofs of the simulator only, or your wallet is of another kind.',
  }
  return said[code] ?? 'Your wallet could not make the proof.'
}

function explain(error) {
  if (error instanceof Refusal) return error.message
  if (error instanceof BridgeAway)
    return 'The bridge to your wallet cannot be reached. Check your connection, then try again.'
  if (error instanceof TypeError) return 'The sign-in server cannot be reached: try again shortly.'
  return 'That did not work: try again.'
}

function say(text, kind = '') {
  const status = byId('status')
  status.textContent = text
  status.className = kind
}

function show(visible) {
  for (const [id, isVisible] of Object.entries(visible)) byId(id).hidden = !isVisible
}

function byId(id) {
  return document.getElementById(id)
}

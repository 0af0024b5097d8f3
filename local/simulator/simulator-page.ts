import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
} from 'express'
import { z } from 'zod'
import { type Html, html, joinHtml } from '../../lib/design/html.ts'
import { pagePolicy, styledPage } from '../../lib/design/styled-page.ts'
import { refuseOtherHosts } from '../../lib/runtime/http/own-hosts.ts'
import { SPECIAL_NAMES } from './protocol-4/holder.ts'
import { NoSuchRequest, type Question, takeRequest, type WalletRequest } from './wallet.ts'
import type { WalletTools } from './wallet-tools.ts'

type Form = Request<object, unknown, unknown>

/** The fields of the form. */
const Choice = z.object({
  connect_url: z.string(),
  person: z.string().default(''),
  answer: z.string().default('approve'),
})

/** The maximum number of requests that wait for a click. The oldest request is dropped first. */
const MAX_PENDING = 100

/**
 * Creates the page of the wallet simulator. It opens a link for a wallet, shows the request, and responds as the
 * chosen person. Only staging apps accept its proofs.
 */
export function createSimulatorPage(tools: WalletTools): Express {
  const pendingRequests = new Map<string, WalletRequest>()

  const openLink = async (link: string): Promise<WalletRequest> => {
    const walletRequest = pendingRequests.get(link) ?? (await takeRequest(link))
    pendingRequests.set(link, walletRequest)
    const [oldest] = pendingRequests.keys()
    if (oldest !== undefined && pendingRequests.size > MAX_PENDING) pendingRequests.delete(oldest)
    return walletRequest
  }

  const web = express()
  web.disable('x-powered-by')
  web.use(refuseOtherHosts)
  web.get('/', async (request, response) => {
    const link = String(request.query.connect_url ?? '')
    if (!link) return sendSimulatorPage(response, 'Simulator', LINK_FORM)
    const { question } = await openLink(link)
    sendSimulatorPage(response, 'Approve?', approvalForm(question, link))
  })
  web.post('/', express.urlencoded({ extended: false }), async (request: Form, response) => {
    const choice = Choice.parse(request.body)
    const { connect_url: link } = choice
    const walletRequest = await openLink(link)
    pendingRequests.delete(link)
    sendSimulatorPage(response, 'Done', await renderOutcome(walletRequest, choice, tools))
  })
  web.use(showFailure)
  return web
}

/** Answers the request, and renders what the wallet has sent. */
async function renderOutcome(
  walletRequest: WalletRequest,
  { answer, person }: z.output<typeof Choice>,
  tools: WalletTools,
): Promise<Html> {
  if (answer === 'decline') {
    await walletRequest.decline()
    return html`<p role="status">Declined. You can close this page and go back.</p>`
  }
  const refusal = await walletRequest.approve(person || 'person-0', tools)
  if (refusal)
    return html`<p role="alert">Refused, with the code ${refusal.code}. ${refusal.message}</p>`
  return html`<p role="status">Approved. The proof has been sent. You can close this page and go back.</p>`
}

/** Renders the form that approves or declines. It suggests some names, and accepts any other name. */
function approvalForm(question: Question, link: string): Html {
  const { app_id, action, action_description, proof_request } = question
  const names = Array.from({ length: 8 }, (_, i) => `person-${i}`)
  const people = [...names, ...(proof_request ? SPECIAL_NAMES : [])].map(
    (name) => html`<option>${name}</option>`,
  )
  return html`<p><strong>${action_description || action || (proof_request ? 'A session' : '')}</strong><br>
<small>${app_id}</small></p>
<form method="post" action="/">
<input type="hidden" name="connect_url" value="${link}">
<label>As whom? <small>The same name is the same person.</small>
<input name="person" value="person-0" list="people" autocomplete="off"></label>
<datalist id="people">${joinHtml(people, '')}</datalist>
<p><button name="answer" value="approve">Approve</button></p>
<p><button name="answer" value="decline" class="second">Decline</button></p>
</form>`
}

const LINK_FORM = html`<p>This is a wallet of simulated people. Open it from the sign-in page of a staging app, or paste
the link that a page made for a wallet.</p>
<form method="get" action="/">
<label>Link<input name="connect_url" type="url" required></label>
<p><button>Open</button></p>
</form>`

const showFailure: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const isMissing = error instanceof NoSuchRequest
  response.status(isMissing ? 404 : 500)
  const text = isMissing ? error.message : `The simulator failed: ${error}`
  sendSimulatorPage(response, 'Simulator', html`<p role="alert">${text}</p>`)
}

const POLICY = pagePolicy({ formAction: "'self'" })

function sendSimulatorPage(response: Response, title: string, body: Html) {
  response
    .set({ 'content-security-policy': POLICY, 'cache-control': 'no-store' })
    .set('referrer-policy', 'no-referrer')
    .type('html')
    .send(styledPage({ title, body, layout: 'card' }))
}

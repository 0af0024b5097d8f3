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
import type { World } from './prove-as.ts'
import { NoSuchRequest, type Question, type TakenRequest, takeRequest } from './wallet.ts'

type Form = Request<object, unknown, unknown>

/** The form, as a browser sends it. */
const Choice = z.object({
  connect_url: z.string(),
  person: z.string().default(''),
  answer: z.string().default('approve'),
})

/** Requests that wait for a click; the oldest are forgotten first. */
const MAX_WAITING = 100

/**
 * The wallet of simulated people, as a page: it opens a link that another page made for a wallet, shows what
 * is asked, and answers as the chosen person. For staging apps; no production app accepts its proofs.
 */
export function createSimulatorPage(world: World): Express {
  const waiting = new Map<string, TakenRequest>()

  const take = async (link: string): Promise<TakenRequest> => {
    const taken = waiting.get(link) ?? (await takeRequest(link))
    waiting.set(link, taken)
    const [oldest] = waiting.keys()
    if (oldest !== undefined && waiting.size > MAX_WAITING) waiting.delete(oldest)
    return taken
  }

  const web = express()
  web.disable('x-powered-by')
  web.use(refuseOtherHosts)
  web.get('/', async (request, response) => {
    const link = String(request.query.connect_url ?? '')
    if (!link) return sendSimulatorPage(response, 'Simulator', PASTE)
    const { question } = await take(link)
    sendSimulatorPage(response, 'Approve?', approvalForm(question, link))
  })
  web.post('/', express.urlencoded({ extended: false }), async (request: Form, response) => {
    const { connect_url: link, person, answer } = Choice.parse(request.body)
    const taken = await take(link)
    waiting.delete(link)
    if (answer === 'decline') await taken.decline()
    else await taken.approve(person || 'person-0', world)
    const text = answer === 'decline' ? 'Declined.' : 'Approved: the proof is on its way.'
    sendSimulatorPage(
      response,
      'Done',
      html`<p role="status">${text} You can close this page and go back.</p>`,
    )
  })
  web.use(explain)
  return web
}

/** The form that approves or declines; it suggests some people by name, and takes any other name. */
function approvalForm({ app_id, action, action_description = '' }: Question, link: string): Html {
  const people = Array.from({ length: 8 }, (_, i) => html`<option>person-${i}</option>`)
  return html`<p><strong>${action_description || action}</strong><br>
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

const PASTE = html`<p>A wallet full of simulated people. A sign-in page of a staging app leads here; or paste
the link that a page made for a wallet.</p>
<form method="get" action="/">
<label>Link<input name="connect_url" type="url" required></label>
<p><button>Open</button></p>
</form>`

const explain: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const known = error instanceof NoSuchRequest
  response.status(known ? 404 : 500)
  const text = known ? error.message : `The simulator has failed: ${error}`
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

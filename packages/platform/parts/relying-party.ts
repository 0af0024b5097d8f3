import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Response,
} from 'express'
import * as openid from 'openid-client'
import { type Html, html, joinHtml } from '../../../lib/design/html.ts'
import { pagePolicy, styledPage } from '../../../lib/design/styled-page.ts'
import { listenOn } from '../../../lib/runtime/http/listen.ts'
import { refuseOtherHosts } from '../../../lib/runtime/http/own-hosts.ts'
import { present } from '../../../lib/runtime/present.ts'

type Options = { port: number; authUrl: string; clientId: string; clientSecret: string }

/** What the relying party remembers about a visitor who has left to sign in. */
type Departure = { verifier: string; state: string; nonce: string }

export type RelyingParty = { url: string; stop(): Promise<void> }

/**
 * A small website that people sign in to: code flow with PKCE, state and nonce, using a standard client
 * library and none of our own code. On loopback only.
 */
export async function startRelyingParty(options: Options): Promise<RelyingParty> {
  const url = `http://localhost:${options.port}`
  const server = createServer(demoWebsite(options, `${url}/callback`))
  await listenOn(server, { host: '127.0.0.1', port: options.port })
  return {
    url,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What the pages of the website need. */
type Website = {
  /** Where people come back to. */
  callback: string
  departures: Map<string, Departure>
  discover(): Promise<openid.Configuration>
}

function demoWebsite(options: Options, callback: string): Express {
  const website = { callback, departures: new Map(), discover: discoverLazily(options) }
  const web = express()
  web.disable('x-powered-by')
  web.use(refuseOtherHosts)
  web.get('/', (_request, response) => {
    sendSitePage(
      response,
      'A shop',
      html`<p>This shop admits each person once, and asks for nobody’s name.</p>${SIGN_IN}`,
    )
  })
  web.get('/sign-in', beginSignIn(website))
  web.get('/callback', finishSignIn(website))
  web.use(explain)
  return web
}

/** Discovers when first needed: the sign-in server may start later than this website. */
function discoverLazily({ authUrl, clientId, clientSecret }: Options) {
  let known: Promise<openid.Configuration> | undefined
  return () => {
    known ??= openid
      .discovery(new URL(authUrl), clientId, clientSecret, undefined, {
        // Plain HTTP is fine on this machine.
        execute: [openid.allowInsecureRequests],
      })
      .catch((error: unknown) => {
        known = undefined
        throw error
      })
    return known
  }
}

function beginSignIn({ callback, departures, discover }: Website): RequestHandler {
  return async (_request, response) => {
    const config = await discover()
    const id = randomUUID()
    const departure = {
      verifier: openid.randomPKCECodeVerifier(),
      state: openid.randomState(),
      nonce: openid.randomNonce(),
    }
    rememberDeparture(departures, id, departure)
    const target = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid email profile',
      code_challenge: await openid.calculatePKCECodeChallenge(departure.verifier),
      code_challenge_method: 'S256',
      state: departure.state,
      nonce: departure.nonce,
    })
    response.cookie('departure', id, { httpOnly: true, sameSite: 'lax' }).redirect(target.href)
  }
}

function finishSignIn({ callback, departures, discover }: Website): RequestHandler {
  return async (request, response) => {
    const config = await discover()
    const [, id = ''] = /(?:^|; )departure=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
    const departure = departures.get(id)
    departures.delete(id)
    if (!departure)
      throw new Error('This sign-in was not begun in this browser. Please begin again.')
    const tokens = await openid.authorizationCodeGrant(
      config,
      new URL(request.originalUrl, callback),
      {
        pkceCodeVerifier: departure.verifier,
        expectedState: departure.state,
        expectedNonce: departure.nonce,
      },
    )
    const subject = present(tokens.claims(), 'the claims of the ID token').sub
    const claims = await openid.fetchUserInfo(config, tokens.access_token, subject)
    sendSitePage(response, 'You are signed in', html`${claimsList(claims)}${SIGN_IN}`)
  }
}

const SIGN_IN = html`<p><a class="button" href="/sign-in">Sign in</a></p>`
const MAX_DEPARTURES = 1_000

function rememberDeparture(departures: Map<string, Departure>, id: string, departure: Departure) {
  departures.set(id, departure)
  const [oldest] = departures.keys()
  if (oldest !== undefined && departures.size > MAX_DEPARTURES) departures.delete(oldest)
}

function claimsList(claims: Record<string, unknown>): Html {
  const rows = Object.entries(claims).map(
    ([name, value]) =>
      html`<dt>${name}</dt><dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`,
  )
  return html`<dl>${joinHtml(rows, '')}</dl>`
}

const explain: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const text =
    error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError
      ? (error.error_description ?? error.message)
      : String(error instanceof Error ? error.message : error)
  response.status(400)
  sendSitePage(response, 'You are not signed in', html`<p role="alert">${text}</p>${SIGN_IN}`)
}

function sendSitePage(response: Response, title: string, body: Html) {
  response
    .set('content-security-policy', pagePolicy())
    .type('html')
    .send(styledPage({ title, body, layout: 'card' }))
}

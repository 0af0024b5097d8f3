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
import { requireValue } from '../../../lib/runtime/require-value.ts'

type Options = { port: number; authUrl: string; clientId: string; clientSecret: string }

/** The secrets of a sign-in that is in progress. */
type PendingSignIn = { verifier: string; state: string; nonce: string }

export type RelyingParty = { url: string; stop(): Promise<void> }

/**
 * Starts a small website with sign-in: code flow with PKCE, state and nonce. Its sign-in uses openid-client, and no code of the
 * sign-in server. Listens on loopback only.
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

/** The state that the website's pages share. */
type Website = {
  /** The redirect URI. */
  callback: string
  pendingSignIns: Map<string, PendingSignIn>
  discover(): Promise<openid.Configuration>
}

function demoWebsite(options: Options, callback: string): Express {
  const website = { callback, pendingSignIns: new Map(), discover: discoverLazily(options) }
  const web = express()
  web.disable('x-powered-by')
  web.use(refuseOtherHosts)
  web.get('/', (_request, response) => {
    sendSitePage(
      response,
      'A shop',
      html`<p>This shop admits each person once, without asking for a name.</p>${SIGN_IN}`,
    )
  })
  web.get('/sign-in', startSignIn(website))
  web.get('/callback', finishSignIn(website))
  web.use(sendErrorPage)
  return web
}

/** Reads the discovery document at the first request, since the sign-in server may start later than this website. */
function discoverLazily({ authUrl, clientId, clientSecret }: Options) {
  let configuration: Promise<openid.Configuration> | undefined
  return () => {
    configuration ??= openid
      .discovery(new URL(authUrl), clientId, clientSecret, undefined, {
        // The sign-in server is on this machine, so plain HTTP is safe.
        execute: [openid.allowInsecureRequests],
      })
      .catch((error: unknown) => {
        configuration = undefined
        throw error
      })
    return configuration
  }
}

function startSignIn({ callback, pendingSignIns, discover }: Website): RequestHandler {
  return async (_request, response) => {
    const config = await discover()
    const id = randomUUID()
    const pendingSignIn = {
      verifier: openid.randomPKCECodeVerifier(),
      state: openid.randomState(),
      nonce: openid.randomNonce(),
    }
    addPendingSignIn(pendingSignIns, id, pendingSignIn)
    const target = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid email profile',
      code_challenge: await openid.calculatePKCECodeChallenge(pendingSignIn.verifier),
      code_challenge_method: 'S256',
      state: pendingSignIn.state,
      nonce: pendingSignIn.nonce,
    })
    response
      .cookie('pending_sign_in', id, { httpOnly: true, sameSite: 'lax' })
      .redirect(target.href)
  }
}

function finishSignIn({ callback, pendingSignIns, discover }: Website): RequestHandler {
  return async (request, response) => {
    const config = await discover()
    const [, id = ''] = /(?:^|; )pending_sign_in=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
    const pendingSignIn = pendingSignIns.get(id)
    pendingSignIns.delete(id)
    if (!pendingSignIn)
      throw new Error('This sign-in was not started in this browser. Sign in again.')
    const tokens = await openid.authorizationCodeGrant(
      config,
      new URL(request.originalUrl, callback),
      {
        pkceCodeVerifier: pendingSignIn.verifier,
        expectedState: pendingSignIn.state,
        expectedNonce: pendingSignIn.nonce,
      },
    )
    const subject = requireValue(tokens.claims(), 'the claims of the ID token').sub
    const claims = await openid.fetchUserInfo(config, tokens.access_token, subject)
    sendSitePage(response, 'You are signed in', html`${claimsList(claims)}${SIGN_IN}`)
  }
}

const SIGN_IN = html`<p><a class="button" href="/sign-in">Sign in</a></p>`
const MAX_PENDING_SIGN_INS = 1_000

function addPendingSignIn(
  pendingSignIns: Map<string, PendingSignIn>,
  id: string,
  pendingSignIn: PendingSignIn,
) {
  pendingSignIns.set(id, pendingSignIn)
  const [oldest] = pendingSignIns.keys()
  if (oldest !== undefined && pendingSignIns.size > MAX_PENDING_SIGN_INS)
    pendingSignIns.delete(oldest)
}

function claimsList(claims: Record<string, unknown>): Html {
  const rows = Object.entries(claims).map(
    ([name, value]) =>
      html`<dt>${name}</dt><dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`,
  )
  return html`<dl>${joinHtml(rows, '')}</dl>`
}

const sendErrorPage: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
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

// npm install express express-session openid-client
import express from 'express'
import session from 'express-session'
import * as openid from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const callback = `http://localhost:${PORT}/callback`
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [openid.allowInsecureRequests],
})

const web = express()
web.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false }))

web.get('/', ({ session: { person } }, response) => {
  response.send(person ? `You are ${person}` : '<a href="/login">Sign in</a>')
})

web.get('/login', async (request, response) => {
  const checks = {
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
  }
  request.session.checks = checks
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  response.redirect(url.href)
})

web.get('/callback', async (request, response) => {
  const url = new URL(request.originalUrl, callback)
  const { checks } = request.session
  if (!checks) throw new Error('The sign-in did not begin in this browser.')
  const tokens = await openid.authorizationCodeGrant(config, url, checks)
  request.session.regenerate(() => {
    request.session.person = tokens.claims().sub
    response.redirect('/')
  })
})

web.use('/callback', (error, _request, response, _next) => {
  console.error(error.error_description ?? error.message)
  response.status(401).send('You are not signed in. <a href="/login">Try again</a>')
})

web.listen(PORT)

// npm install express express-openid-connect
import express from 'express'
import { auth } from 'express-openid-connect'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const web = express()
web.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: `http://localhost:${PORT}`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SESSION_SECRET,
    authRequired: false,
    idpLogout: false,
    authorizationParams: { response_type: 'code', scope: 'openid' },
  }),
)
web.get('/', ({ oidc }, response) => {
  response.send(oidc.user ? `You are ${oidc.user.sub}` : '<a href="/login">Sign in</a>')
})
web.use('/callback', (error, _request, response, _next) => {
  console.error(error.error_description ?? error.message)
  response.status(401).send('You are not signed in. <a href="/login">Try again</a>')
})
web.listen(PORT)

// npm install express @auth/express
import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const options = {
  secret: SESSION_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'personhood',
      name: 'Personhood',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid' } },
      checks: ['pkce', 'state', 'nonce'],
      profile: ({ sub }) => ({ id: sub }),
    },
  ],
  pages: { error: '/refused' },
  callbacks: {
    jwt: ({ token, profile }) => (profile ? { ...token, sub: profile.sub } : token),
    session: ({ session, token }) => ({ ...session, user: { id: token.sub } }),
  },
}

const web = express()
web.use('/auth', ExpressAuth(options))
web.get('/', async (request, response) => {
  const session = await getSession(request, options)
  response.send(session ? `You are ${session.user.id}` : '<a href="/auth/signin">Sign in</a>')
})
web.get('/refused', (_request, response) => {
  response.status(401).send('You are not signed in. <a href="/auth/signin">Try again</a>')
})
web.listen(PORT)

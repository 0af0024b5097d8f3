// npm install express next-auth@4
import express from 'express'
import nextAuth from 'next-auth'

const { default: NextAuth, getServerSession } = nextAuth
const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
process.env.NEXTAUTH_URL = `http://localhost:${PORT}`
const options = {
  secret: SESSION_SECRET,
  providers: [
    {
      id: 'personhood',
      name: 'Personhood',
      type: 'oauth',
      wellKnown: `${ISSUER}/.well-known/openid-configuration`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid' } },
      idToken: true,
      checks: ['pkce', 'state', 'nonce'],
      profile: ({ sub }) => ({ id: sub }),
    },
  ],
  callbacks: {
    session: ({ session, token }) => ({ ...session, user: { id: token.sub } }),
  },
}

const web = express()
web.use(express.urlencoded(), (request, _response, next) => {
  const cookies = request.headers.cookie?.replaceAll('; ', '&')
  request.cookies = Object.fromEntries(new URLSearchParams(cookies))
  next()
})
web.all('/api/auth/*nextauth', (request, response) => {
  const query = { ...request.query, nextauth: request.params.nextauth }
  return NextAuth(Object.create(request, { query: { value: query } }), response, options)
})
web.get('/', async (request, response) => {
  const session = await getServerSession(request, response, options)
  response.send(session ? `You are ${session.user.id}` : '<a href="/api/auth/signin">Sign in</a>')
})
web.listen(PORT)

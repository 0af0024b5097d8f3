// npm install fastify @fastify/cookie @fastify/oauth2
import cookie from '@fastify/cookie'
import oauth2 from '@fastify/oauth2'
import Fastify from 'fastify'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const web = Fastify()
await web.register(cookie, { secret: SESSION_SECRET })
await web.register(oauth2, {
  name: 'personhood',
  discovery: { issuer: ISSUER },
  credentials: { client: { id: CLIENT_ID, secret: CLIENT_SECRET } },
  scope: ['openid'],
  pkce: 'S256',
  startRedirectPath: '/login',
  callbackUri: `http://localhost:${PORT}/callback`,
})

web.get('/', (request, reply) => {
  const { valid, value } = request.unsignCookie(request.cookies.person ?? '')
  reply.type('text/html').send(valid ? `You are ${value}` : '<a href="/login">Sign in</a>')
})

const errorHandler = (error, _request, reply) => {
  console.error(error.message)
  reply.code(401).type('text/html')
  return reply.send('You are not signed in. <a href="/login">Try again</a>')
}
web.get('/callback', { errorHandler }, async (request, reply) => {
  const { token } = await web.personhood.getAccessTokenFromAuthorizationCodeFlow(request, reply)
  const { sub } = await web.personhood.userinfo(token)
  reply.setCookie('person', sub, { signed: true, httpOnly: true, sameSite: 'lax', path: '/' })
  return reply.redirect('/')
})

await web.listen({ port: Number(PORT) })

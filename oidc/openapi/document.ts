import type { RequestHandler } from 'express'
import { clientPaths } from './client-paths.ts'
import { signInPaths } from './sign-in-paths.ts'

/**
 * `GET /openapi.json`: the sign-in server's endpoints (spec 4.3) as OpenAPI 3.1, for websites and tools. The pages that
 * only a person's browser visits, below `/login`, are not in it.
 *
 * @param issuer the address at which callers reach the server
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function describeSignIn(issuer: string): RequestHandler {
  const text = JSON.stringify(signInDocument(issuer))
  return (_request, response) => {
    response.set('cache-control', 'no-store').type('json').send(text)
  }
}

/** The description itself. */
export function signInDocument(issuer: string) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Personhood platform: sign-in server',
      version: '1',
      description: ABOUT,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: issuer }],
    tags: [{ name: 'Sign-in' }, { name: 'Clients' }, { name: 'Health' }],
    paths: { ...signInPaths(issuer), ...clientPaths(issuer) },
    components: { securitySchemes: SECURITY_SCHEMES },
  }
}

const ABOUT = `Signs people in with OpenID Connect: a library of your language reads everything that it needs from
\`/.well-known/openid-configuration\`.

Errors are those of OAuth 2.0 (\`error\`, \`error_description\`) and of the developer API (\`code\`, \`detail\`, \`attribute\`)
in one. Every answer has an \`x-request-id\`.`

const SECURITY_SCHEMES = {
  client: { type: 'http', scheme: 'basic', description: 'The id and the secret of a client' },
  accessToken: { type: 'http', scheme: 'bearer', description: 'The access token of a person' },
  registration: {
    type: 'http',
    scheme: 'bearer',
    description: 'The registration access token of a client',
  },
}

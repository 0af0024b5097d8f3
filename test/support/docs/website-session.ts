import { createHash, randomBytes } from 'node:crypto'
import { authorizeUrl, type TestClient } from '../oidc/register-client.ts'
import { ISSUER, type TestSignIn } from '../oidc/start-sign-in.ts'
import { Visitor } from '../oidc/visitor.ts'

const STATE = 'state-of-the_session1'
const NONCE = 'nonce of the session'

/** Returns the URL that begins a sign-in, and what the website stores in the person's session. */
export function beginSignIn({ env }: TestSignIn, client: TestClient) {
  const verifier = randomBytes(32).toString('base64url')
  const authorizationUrl = authorizeUrl(client, {
    state: STATE,
    nonce: NONCE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return {
    url: authorizationUrl.replace(ISSUER, env.AUTH_URL),
    session: { STATE, NONCE, CODE_VERIFIER: verifier },
  }
}

/** Signs a person in up to the callback of the website. @returns the callback's URL and what the website stored before */
export async function signInToCallback(signIn: TestSignIn, client: TestClient) {
  const { url, session } = beginSignIn(signIn, client)
  const back = await new Visitor(signIn.url).signIn(url)
  return { ...session, CALLBACK_URL: back.headers.get('location') ?? '' }
}

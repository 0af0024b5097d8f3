import { fromStatus, RequestError, unreachable } from '../graphql/request-error.ts'
import { recordSessionOver } from './session-over.ts'

/** Logs a user in. The browser keeps the token in a cookie that this page cannot read. */
export async function logIn(login: { email: string; password: string }): Promise<void> {
  await post('/api/v1/session/login', login)
  recordSessionOver(false)
}

type Signup = { email: string; password: string; name: string; team_name: string }

/** Creates an account and its first team, and logs the user in. */
export async function signUp(signup: Signup): Promise<void> {
  await post('/api/v1/session/signup', signup)
  recordSessionOver(false)
}

/** Returns the id of this browser's login, which is also the id of its row in GraphQL. */
export async function currentLoginId(): Promise<string> {
  const response = await fetch('/api/v1/session', {
    // The server recognizes this page by the header, because some browsers send no `Origin` with GET.
    headers: { 'x-requested-with': 'portal' },
  }).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (!response.ok) throw fromStatus(response.status)
  const { CurrentSession } = await import('./response-schemas.ts')
  return CurrentSession.parse(await response.json()).login_id
}

/** Ends this browser's login. */
export function logOut(): Promise<void> {
  return post('/api/v1/session/logout', {})
}

/** Mails a link to reset the password, if an account has the address. */
export function mailPasswordLink(email: string): Promise<void> {
  return post('/api/v1/forgot-password', { email })
}

/** Mails the link that verifies an address once more. */
export function mailVerificationLink(email: string): Promise<void> {
  return post('/api/v1/resend-verification', { email })
}

/** @throws RequestError */
async function post(path: string, body: object): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (response.ok) return
  // The schemas are loaded only here, because with Zod they would be a quarter of the first page's code.
  const { Failure } = await import('./response-schemas.ts')
  const failure = Failure.safeParse(await response.json().catch(() => null))
  if (!failure.success) throw fromStatus(response.status)
  const { code, detail, attribute } = failure.data
  throw new RequestError(detail, { code, attribute: attribute ?? null })
}

import { fromStatus, RequestError } from '../graphql/request-error.ts'
import { send } from '../graphql/send.ts'
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
export async function currentLoginId(signal?: AbortSignal): Promise<string> {
  const { ok, status, body } = await send('/api/v1/session', {
    method: 'GET',
    // The server recognizes this page by the header, because some browsers send no `Origin` with GET.
    headers: { 'x-requested-with': 'portal' },
    signal,
  })
  if (!ok) throw fromStatus(status)
  const { CurrentSession } = await import('./response-schemas.ts')
  return CurrentSession.parse(body).login_id
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
async function post(path: string, input: object): Promise<void> {
  const { ok, status, body } = await send(path, { body: input })
  if (ok) return
  // The schemas are loaded only here, because with Zod they would be a quarter of the first page's code. After an update of the
  // portal, they may be missing.
  const schemas = await import('./response-schemas.ts').catch(() => null)
  const failure = schemas?.Failure.safeParse(body)
  if (!failure?.success) throw fromStatus(status)
  const { code, detail, attribute } = failure.data
  throw new RequestError(detail, { code, attribute: attribute ?? null })
}

import { fromStatus, RequestError, unreachable } from '../graphql/request-error.ts'
import { noteSessionOver } from './session-over.ts'

/** Logs a person in; the browser keeps the login's token in a cookie that this page cannot read. */
export async function logIn(login: { email: string; password: string }): Promise<void> {
  await post('/api/v1/session/login', login)
  noteSessionOver(false)
}

type Signup = { email: string; password: string; name: string; team_name: string }

/** Makes an account with its first team, and logs it in. */
export async function signUp(signup: Signup): Promise<void> {
  await post('/api/v1/session/signup', signup)
  noteSessionOver(false)
}

/** The id of the login of this browser, by which GraphQL has it. */
export async function currentLoginId(): Promise<string> {
  const response = await fetch('/api/v1/session').catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (!response.ok) throw fromStatus(response.status)
  const { CurrentSession } = await import('./answers.ts')
  return CurrentSession.parse(await response.json()).login_id
}

/** Ends the login of this browser. */
export function logOut(): Promise<void> {
  return post('/api/v1/session/logout', {})
}

/** Mails a link for choosing another password, if there is an account with the address. */
export function mailPasswordLink(email: string): Promise<void> {
  return post('/api/v1/forgot-password', { email })
}

/** Mails the link that verifies an address again. */
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
  // Loaded when it is needed, since it is a quarter of what the first page would load.
  const { Failure } = await import('./answers.ts')
  const failure = Failure.safeParse(await response.json().catch(() => null))
  if (!failure.success) throw fromStatus(response.status)
  const { code, detail, attribute } = failure.data
  throw new RequestError(detail, { code, attribute: attribute ?? null })
}

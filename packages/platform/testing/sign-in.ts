import { z } from 'zod'
import type { VerificationRequest } from '../../../local/simulator/verification-request.ts'
import { Browser, type Page } from './browser.ts'

/** The purpose of a proof for the sign-in page. `signal_hash` is in hex. */
export type SignInPurpose = { app_id: string; signal_hash: string }

type SignInOptions = {
  /** The address of the sign-in server. */
  authUrl: string
  /** Makes a proof of the person. Null if the person cancels. */
  prove: ((purpose: SignInPurpose) => Promise<VerificationRequest>) | null
  /** Called before each request of the browser. */
  onRequest?: (method: string, url: string) => void
}

/** The result of a sign-in. */
export type SignInResult = {
  /** The redirect URI with the response: `code` and `state`, or `error`. */
  callbackUrl: string
  /** The last page of the website. Null if the sign-in began at the sign-in server: then the redirect URI was not opened. */
  page: Page | null
  /** The cookies of the website, for the `Cookie` header of further requests. Empty if the website was not opened. */
  cookie: string
}

/**
 * Signs a person in to a website, as a browser and a wallet do.
 *
 * @param url a page of the website that redirects to the sign-in server, or an address of the sign-in server (`/authorize?…`)
 * @throws Error if `url` does not lead to the sign-in page, or if the sign-in server rejects the person's response
 */
export async function signInPerson(
  url: string,
  { authUrl, prove, ...browserOptions }: SignInOptions,
): Promise<SignInResult> {
  const browser = new Browser(browserOptions)
  const { origin } = new URL(authUrl)
  const signInPage = await browser.open(url)
  const callback = await leaveSignInPage(browser, signInPage, { origin, prove })
  const { url: callbackUrl } = callback
  if (new URL(url).origin === origin) return { callbackUrl, page: null, cookie: '' }
  const page = await openCallback(browser, callback)
  return { callbackUrl, page, cookie: await browser.cookies.getCookieString(page.url) }
}

/** The data that the sign-in page contains for its script. */
const PageFacts = z.object({
  csrf: z.string(),
  submitTo: z.string(),
  appId: z.string(),
  signalHash: z.string(),
  isRefused: z.boolean(),
})

const NextPage = z.object({ redirect_to: z.string() })
const Rejection = z.object({ detail: z.string() })

/** A redirect URI, with the fields that the browser posts to it; null for a redirect. */
type Callback = { url: string; fields: URLSearchParams | null }

type LeaveOptions = Pick<SignInOptions, 'prove'> & { origin: string }

/** Sends the person's response, or cancels, and follows the sign-in server's redirects to the website. */
async function leaveSignInPage(
  browser: Browser,
  page: Page,
  { origin, prove }: LeaveOptions,
): Promise<Callback> {
  const { csrf, submitTo, appId, signalHash } = readFacts(page, origin)
  const proof = prove && (await prove({ app_id: appId, signal_hash: signalHash }))
  const response = await browser.send(new URL(proof ? submitTo : `${submitTo}/cancel`, origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ csrf, ...(proof && widgetResponse(proof)) }),
  })
  const next: unknown = await response.json()
  if (!response.ok)
    throw new Error(`The sign-in server rejected the proof: ${Rejection.parse(next).detail}`)
  const target = new URL(NextPage.parse(next).redirect_to, origin)
  const end = await browser.open(target, (redirect) => redirect.origin !== origin)
  return readForm(end) ?? { url: end.url, fields: null }
}

/** Returns the fields that a widget on the sign-in page sends. */
function widgetResponse(proof: VerificationRequest) {
  const { merkle_root, nullifier_hash, verification_level } = proof
  return { proof: proof.proof, merkle_root, nullifier_hash, verification_level }
}

function readFacts({ url, status, body }: Page, origin: string) {
  const [, facts] = /<script type="application\/json" id="facts">(.*?)<\/script>/.exec(body) ?? []
  const address = new URL(url)
  if (address.origin !== origin || facts === undefined)
    throw new Error(
      `Expected the sign-in page of ${origin}; got ${address.origin}${address.pathname} with the status ${status}: ${readText(body)}`,
    )
  const pageFacts = PageFacts.parse(JSON.parse(facts))
  if (pageFacts.isRefused) throw new Error('The sign-in page accepts no sign-ins to this app now.')
  return pageFacts
}

/** Returns the beginning of the text of a page, without its title. */
function readText(body: string): string {
  const text = body.replaceAll(/<(title|style|script)\b.*?<\/\1>|<[^>]*>/gs, ' ')
  return decode(text).replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}

/** Reads the form of `response_mode=form_post`, which the browser would submit automatically. */
function readForm({ url, body }: Page): Callback | null {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(body) ?? []
  if (action === undefined) return null
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)
  const fields = new URLSearchParams()
  for (const [, name = '', value = ''] of inputs) fields.append(decode(name), decode(value))
  return { url: new URL(decode(action), url).href, fields }
}

/** Decodes the character references that our pages use (lib/design/html.ts). */
function decode(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_reference, code: string) =>
    String.fromCodePoint(Number(code)),
  )
}

function openCallback(browser: Browser, { url, fields }: Callback): Promise<Page> {
  if (fields === null) return browser.open(url)
  return browser.open(url, undefined, { method: 'POST', body: fields })
}

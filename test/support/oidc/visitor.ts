import { sharedForger } from '../simulator/forge-membership.ts'
import { ISSUER, ROOT } from './start-sign-in.ts'

type Send = (input: string | URL | Request, init?: object) => Promise<Response>

/** Returns a `fetch` that sends requests for the issuer to the test's server, like a proxy. It does not follow redirects. */
export function fetchVia(url: string | (() => string)): Send {
  return (input, init) => {
    const target = String(input instanceof Request ? input.url : input)
    const base = typeof url === 'string' ? url : url()
    return fetch(target.replace(ISSUER, base), { redirect: 'manual', ...init })
  }
}

/** Goes through a sign-in as a browser would, and keeps cookies. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  private readonly send: Send

  constructor(url: string | (() => string)) {
    this.send = fetchVia(url)
  }

  async request(target: string, init: RequestInit = {}): Promise<Response> {
    const address = new URL(target, ISSUER).href
    const response = await this.send(address, {
      ...init,
      headers: { accept: 'text/html', ...init.headers, cookie: this.cookieHeader() },
    })
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie)
    return response
  }

  /** Begins a sign-in, and reads the sign-in page. */
  async begin(authorizeUrl: string | URL): Promise<SignInPage> {
    const response = await this.request(String(authorizeUrl))
    const path = response.headers.get('location')
    if (response.status !== 303 || !path?.startsWith('/login/'))
      throw new Error(
        `The sign-in did not begin: ${response.status} ${path} ${await response.text()}`,
      )
    return readPage(path, await (await this.request(path)).text())
  }

  /** Submits a proof of a person, as a wallet would. */
  async prove(page: SignInPage, person: Person = {}): Promise<Response> {
    return this.submit(page, await proofFor(page, person))
  }

  async submit(page: Pick<SignInPage, 'path' | 'csrf'>, proof: object): Promise<Response> {
    return this.request(page.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ csrf: page.csrf, ...proof }),
    })
  }

  /** Completes a sign-in; resolves with the response that sends the browser back to the relying party. */
  async signIn(authorizeUrl: string | URL, person: Person = {}): Promise<Response> {
    const page = await this.begin(authorizeUrl)
    const answer = await this.prove(page, person)
    const { redirect_to, detail } = Object(await answer.json())
    if (!redirect_to) throw new Error(`The proof was rejected: ${detail}`)
    return this.request(redirect_to)
  }

  /** Cancels a sign-in, as "Cancel and go back" does; resolves with the response that sends the browser back. */
  async cancel(authorizeUrl: string | URL): Promise<Response> {
    const { path, csrf } = await this.begin(authorizeUrl)
    const answer = await this.submit({ path: `${path}/cancel`, csrf }, {})
    const { redirect_to } = Object(await answer.json())
    return this.request(redirect_to)
  }

  private keep(cookie: string) {
    const [pair = ''] = cookie.split(';')
    const equals = pair.indexOf('=')
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
    if (value) this.cookies.set(name, value)
    else this.cookies.delete(name)
  }

  private cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

export type SignInPage = {
  path: string
  html: string
  csrf: string
  appId: string
  signalHash: string
  levels: string[]
  cancelUrl: string
}

type Person = { nullifier?: bigint; level?: string; root?: bigint; action?: string; app?: string }

function readPage(path: string, html: string): SignInPage {
  const [, facts = '{}'] =
    /<script type="application\/json" id="facts">(.*?)<\/script>/.exec(html) ?? []
  return { path, html, ...JSON.parse(facts) }
}

/** Makes a proof for the sign-in of this page, by default of the person with the nullifier 42. */
export async function proofFor(
  { appId, signalHash }: SignInPage,
  { nullifier = 42n, level = 'orb', root = ROOT, action = '', app = appId }: Person = {},
) {
  const { proof, merkle_root, nullifier_hash } = await (await sharedForger()).request({
    appId: app,
    action,
    root,
    nullifierHash: nullifier,
    signalHash: BigInt(signalHash),
  })
  return { proof, merkle_root, nullifier_hash, verification_level: level }
}

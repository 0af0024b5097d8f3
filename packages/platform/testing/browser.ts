import { CookieJar } from 'tough-cookie'

/** The most redirects in a row, as in browsers. */
const MAX_REDIRECTS = 20

/** A page that a browser shows. */
export type Page = { url: string; status: number; body: string }

type BrowserOptions = {
  /** Called before each request. */
  onRequest?: ((method: string, url: string) => void) | undefined
}

/** A browser without a window: follows redirects, and keeps cookies. It runs no scripts. */
export class Browser {
  readonly cookies = new CookieJar()
  private readonly options: BrowserOptions

  constructor(options: BrowserOptions = {}) {
    this.options = options
  }

  /**
   * Opens a page, and follows its redirects.
   *
   * @param isEnd returns true for the address of a redirect that is not followed; the page then has no body
   * @throws Error if a server does not respond, or redirects more than 20 times
   */
  async open(url: string | URL, isEnd?: (url: URL) => boolean, init?: RequestInit): Promise<Page> {
    let address = new URL(url)
    let response = await this.send(address, init)
    for (let count = 0; count < MAX_REDIRECTS; count++) {
      const target = response.headers.get('location')
      if (target === null || response.status < 300 || response.status > 399)
        return { url: address.href, status: response.status, body: await response.text() }
      address = new URL(target, address)
      if (isEnd?.(address)) return { url: address.href, status: response.status, body: '' }
      response = await this.send(address)
    }
    throw new Error(`${url} redirects more than ${MAX_REDIRECTS} times.`)
  }

  /** Sends a request with the cookies of its address, and keeps the cookies of the response. Follows no redirect. */
  async send(address: URL, init: RequestInit = {}): Promise<Response> {
    this.options.onRequest?.(init.method ?? 'GET', address.href)
    const cookie = await this.cookies.getCookieString(address.href)
    const headers = { accept: 'text/html', ...init.headers, ...(cookie && { cookie }) }
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie())
      await this.cookies.setCookie(line, address.href, { ignoreError: true })
    return response
  }
}

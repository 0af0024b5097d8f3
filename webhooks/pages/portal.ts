import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RequestHandler, Router } from 'express'
import sirv from 'sirv'
import { z } from 'zod'
import { html, joinHtml } from '../../lib/design/html.ts'

export type PortalOptions = {
  /** With `index.html`, `assets/` and `pages.json`, as `npm run portal:build` makes them. */
  folder: string
  /** The wallet bridge, the only other origin that the portal's scripts may call. */
  bridgeUrl: string
  /** What the portal needs to know about the platform, by the names of `<meta>` elements; anybody may read it. */
  settings: Record<string, string>
}

/**
 * Serves the developer portal: its page at each of its paths, and its files, which are named by their contents and so
 * may be cached for ever.
 */
export function portal({ folder, bridgeUrl, settings }: PortalOptions): RequestHandler {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const paths = PagePaths.parse(JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')))
  const router = Router({ caseSensitive: true })
  router.use('/assets', keepForEver, sirv(join(folder, 'assets'), { brotli: true, gzip: true }))
  router.get(Object.values(paths), (_request, response) => {
    const nonce = randomBytes(16).toString('base64')
    response.set('content-security-policy', policy(nonce, new URL(bridgeUrl).origin))
    response.type('html').send(fillIn(page, { nonce, settings }))
  })
  return router
}

const PagePaths = z.record(z.string(), z.string())

/** Its name changes with what is in it. */
const keepForEver: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'public, max-age=31536000, immutable')
  next()
}

/** Images of apps are not shown: whoever hosts them would learn who looks at the portal. */
function policy(nonce: string, bridge: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src 'self' ${bridge}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

type Filling = { nonce: string; settings: Record<string, string> }

/** Puts into the page what is not known when it is built. */
function fillIn(page: string, { nonce, settings }: Filling): string {
  const metas = Object.entries(settings).map(
    ([name, value]) => html`<meta name="${name}" content="${value}">`,
  )
  const head = joinHtml([html`<meta property="csp-nonce" nonce="${nonce}">`, ...metas], '\n')
  return page.replace('</head>', () => `${head}\n</head>`)
}

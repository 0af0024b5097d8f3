import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RequestHandler, Router } from 'express'
import sirv from 'sirv'
import { z } from 'zod'
import { html, joinHtml } from '../../lib/design/html.ts'

export type PortalOptions = {
  /** The folder with `index.html`, `assets/` and `pages.json` from `npm run portal:build`. */
  folder: string
  /** The wallet bridge, the only other origin that the portal's scripts may call. */
  bridgeUrl: string
  /** Public facts about the platform for the portal, by the names of `<meta>` elements. */
  settings: Record<string, string>
}

/**
 * Serves the developer portal: its HTML page at every path of the portal, and its files. The name of each file contains a
 * hash of the content, so browsers may cache the file for ever.
 */
export function portal({ folder, bridgeUrl, settings }: PortalOptions): RequestHandler {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const paths = PagePaths.parse(JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')))
  const router = Router({ caseSensitive: true })
  router.use('/assets', cacheForEver, sirv(join(folder, 'assets'), { brotli: true, gzip: true }))
  router.get(Object.values(paths), (_request, response) => {
    const nonce = randomBytes(16).toString('base64')
    response.set('content-security-policy', policy(nonce, new URL(bridgeUrl).origin))
    response.type('html').send(fillIn(page, { nonce, settings }))
  })
  return router
}

const PagePaths = z.record(z.string(), z.string())

/** Allows browsers to cache a file for ever, because a changed file gets another name. */
const cacheForEver: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'public, max-age=31536000, immutable')
  next()
}

/**
 * Returns the content security policy. It forbids images from other hosts. Otherwise the host of an app's logo would learn
 * who uses the portal.
 */
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

type PageValues = { nonce: string; settings: Record<string, string> }

/** Inserts the nonce and the settings into the page, since they are unknown when the page is built. */
function fillIn(page: string, { nonce, settings }: PageValues): string {
  const metas = Object.entries(settings).map(
    ([name, value]) => html`<meta name="${name}" content="${value}">`,
  )
  const head = joinHtml([html`<meta property="csp-nonce" nonce="${nonce}">`, ...metas], '\n')
  return page.replace('</head>', () => `${head}\n</head>`)
}

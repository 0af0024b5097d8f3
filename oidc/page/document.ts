import { type Html, html } from '../../lib/design/html.ts'
import { htmlPage } from '../../lib/design/html-page.ts'
import { brandHeader } from '../../lib/design/look.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import type { Language } from './texts.ts'

type Document = {
  language: Language
  title: string
  body: Html
  /** Other origins that the page's script may connect to. */
  connectSources: readonly string[]
  /** Other origins from which the page may load pictures. */
  imageSources?: readonly string[]
}

/** Renders a complete page, with headers that allow the page only what it needs. */
export function renderDocument({
  connectSources,
  imageSources = [],
  ...page
}: Document): RenderedPage {
  const body = html`${brandHeader(null)}
${page.body}`
  const policy = contentPolicy(connectSources, imageSources)
  return {
    html: htmlPage({ ...page, head: HEAD, body }),
    headers: { 'content-security-policy': policy, ...HEADERS },
  }
}

const HEAD = html`<meta name="robots" content="noindex">
<link rel="stylesheet" href="/assets/sign-in.css">`

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

function contentPolicy(connectSources: readonly string[], imageSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ['img-src data:', ...imageSources].join(' '),
    ['connect-src', "'self'", ...connectSources].join(' '),
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

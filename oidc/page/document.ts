import { htmlPage, type RenderedPage } from '../../lib/http/html.ts'

type Document = {
  title: string
  /** HTML, in which every value is already escaped. */
  body: string
  /** Origins, besides our own, that its script may connect to. */
  connectTo: readonly string[]
}

/** A whole page, with headers that allow it to do what it needs and nothing more. */
export function renderDocument({ title, body, connectTo }: Document): RenderedPage {
  const html = htmlPage({ title, head: HEAD, body })
  return { html, headers: { 'content-security-policy': contentPolicy(connectTo), ...HEADERS } }
}

const HEAD = `<meta name="robots" content="noindex">
<link rel="stylesheet" href="/assets/sign-in.css">
<link rel="icon" href="data:,">`

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

function contentPolicy(connectTo: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    ['connect-src', "'self'", ...connectTo].join(' '),
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

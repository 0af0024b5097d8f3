import { htmlPage } from '../../lib/html.ts'

export type Rendered = { html: string; headers: Record<string, string> }

type Document = {
  title: string
  /** HTML: every value in it is escaped already. */
  body: string
  /** Origins, beside our own, that its script may talk to. */
  connectTo: readonly string[]
}

/** A whole page, and headers that let it do what it does and nothing more. */
export function renderDocument({ title, body, connectTo }: Document): Rendered {
  const html = htmlPage({ title, head: HEAD, body })
  return { html, headers: { 'content-security-policy': policy(connectTo), ...HEADERS } }
}

const HEAD = `<meta name="robots" content="noindex">
<link rel="stylesheet" href="/assets/sign-in.css">
<link rel="icon" href="data:,">`

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

function policy(connectTo: readonly string[]): string {
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

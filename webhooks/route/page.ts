import type { Response } from 'express'
import { escapeHtml, htmlPage, inlineStyle } from '../../lib/http/html.ts'

const style = inlineStyle(`
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; }
main { max-width: 26rem; padding: 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 0.5rem; }
p { margin: 0 0 1.5rem; }
button {
  width: 100%; padding: 0.75rem; border: 0; border-radius: 0.5rem; cursor: pointer;
  font: inherit; font-weight: 600; color: Canvas; background: CanvasText;
}
button:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`)

const POLICY = [
  "default-src 'none'",
  `style-src ${style.source}`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

export type Page = {
  status?: number
  title: string
  text: string
  /** HTML; every value in it consists of known, harmless characters. */
  form?: string
}

/** Answers with a small page: no script, nothing loaded from elsewhere, light or dark as people prefer. */
export function sendPage(response: Response, { status = 200, title, text, form = '' }: Page): void {
  response
    .status(status)
    .set('content-security-policy', POLICY)
    .type('html')
    .send(
      htmlPage({
        title,
        head: style.html,
        body: `<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${form}</main>`,
      }),
    )
}

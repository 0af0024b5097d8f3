import { hash } from 'node:crypto'
import { type Html, html, trustedHtml } from './html.ts'
import { ICON } from './look.ts'

type Page = {
  /** The language of the page, English by default. */
  language?: string
  title: string
  head: Html
  body: Html
}

/** A whole HTML document with our icon, fit for phones. */
export function htmlPage({ language = 'en', title, head, body }: Page): string {
  return String(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${ICON}
${head}
</head>
<body>
${body}
</body>
</html>
`)
}

/** An inline style, and the source that lets a Content-Security-Policy allow it and no other. */
export function inlineStyle(css: string): { element: Html; source: string } {
  return {
    element: html`<style>${trustedHtml(css)}</style>`,
    source: `'sha256-${hash('sha256', css, 'base64')}'`,
  }
}

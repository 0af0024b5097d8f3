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

/** Makes a whole HTML page with our icon. It fits phones, too. */
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

/** Makes a `<style>` element, and the source that allows only this style in a Content-Security-Policy. */
export function inlineStyle(css: string): { element: Html; source: string } {
  return {
    element: html`<style>${trustedHtml(css)}</style>`,
    source: `'sha256-${hash('sha256', css, 'base64')}'`,
  }
}

import { hash } from 'node:crypto'

/** As text between tags, or in an attribute between quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

type Page = {
  /** Plain text. */
  title: string
  /** HTML, as is the body: every value in it is escaped already. */
  head: string
  body: string
}

export function htmlPage({ title, head, body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** A style in the page itself, and the source by which a Content-Security-Policy allows no other. */
export function inlineStyle(css: string): { html: string; source: string } {
  return { html: `<style>${css}</style>`, source: `'sha256-${hash('sha256', css, 'base64')}'` }
}

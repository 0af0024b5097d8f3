import { type Html, html, joinHtml, trustedHtml } from '../../lib/design/html.ts'
import { lightToken } from '../../lib/design/light-tokens.ts'
import type { Message } from './mailer.ts'

/** The texts of a message. `before` ends with a colon if a link follows. */
export type MailTexts = {
  subject: string
  before: string
  link: { url: string; text: string } | null
  after: string
}

/** Writes a message as plain text and as HTML with the same texts. The HTML also shows the link as a button. */
export function writeMail(
  { id, to }: Pick<Message, 'id' | 'to'>,
  { subject, before, link, after }: MailTexts,
): Message {
  const text = [before, link?.url, after].filter(Boolean).join('\n\n')
  const body = [paragraphs(before), ...(link ? [linkRows(link)] : []), paragraphs(after)]
  return { id, to, subject, text: `${text}\n`, html: htmlMail(subject, joinHtml(body, '\n')) }
}

/** Returns the HTML of a message: with style attributes, since many mail programs drop style sheets, and light colours. */
function htmlMail(subject: string, body: Html): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
</head>
<body style="${STYLES.body}">
<div style="${STYLES.page}">
<p style="${STYLES.brand}">Personhood</p>
<div style="${STYLES.card}">
<h1 style="${STYLES.heading}">${subject}</h1>
${body}
</div>
</div>
</body>
</html>
`)
}

function paragraphs(text: string): Html {
  const each = text.split('\n\n').map((words) => html`<p style="${STYLES.text}">${words}</p>`)
  return joinHtml(each, '\n')
}

function linkRows({ url, text }: { url: string; text: string }): Html {
  return html`<p style="${STYLES.text}"><a href="${url}" style="${STYLES.button}">${text}</a></p>
<p style="${STYLES.address}"><a href="${url}" style="${STYLES.link}">${url}</a></p>`
}

const FONT = `font-family: ${lightToken('font').replaceAll('"', "'")}`
const CORNER = `border-radius: ${lightToken('corner')}`
const INK = `color: ${lightToken('ink')}`

const STYLES = {
  body: style('margin: 0', 'padding: 0', `background: ${lightToken('paper-sunken')}`),
  page: style('max-width: 30rem', 'margin: 0 auto', 'padding: 2rem 1rem', FONT, INK),
  brand: style('margin: 0 0 1rem', 'text-align: center', 'font-weight: 650', INK),
  card: style(
    'padding: 1.5rem',
    `border: 1px solid ${lightToken('line')}`,
    CORNER,
    `background: ${lightToken('paper-raised')}`,
  ),
  heading: style('margin: 0 0 0.75rem', 'font-size: 1.375rem', 'line-height: 1.25', INK),
  text: style('margin: 0 0 1rem', 'font-size: 1rem', 'line-height: 1.55', INK),
  button: style(
    'display: block',
    'padding: 0.75rem 1rem',
    CORNER,
    `color: ${lightToken('accent-ink')}`,
    `background: ${lightToken('accent')}`,
    'font-weight: 600',
    'text-align: center',
    'text-decoration: none',
  ),
  address: style('margin: 0 0 1rem', 'font-size: 0.875rem', 'word-break: break-all'),
  link: style(`color: ${lightToken('accent-text')}`),
}

function style(...declarations: string[]): Html {
  return trustedHtml(declarations.join('; '))
}

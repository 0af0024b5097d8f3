import { escapeHtml, htmlPage, inlineStyle } from '../../lib/http/html.ts'

/** A message as it was received. */
export type CaughtMail = { at: Date; to: string[]; source: string }

const style = inlineStyle(`
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
article { border-top: 1px solid GrayText; padding: 1rem 0; }
h2 { font-size: 1.1rem; margin: 0; }
small { color: GrayText; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0.5rem 0 0; }
`)

/** The caught messages, the latest first; links in them can be followed. */
export function mailPage(caught: readonly CaughtMail[]): string {
  const messages = caught.map(article).join('\n')
  return htmlPage({
    title: `Mail (${caught.length})`,
    head: style.html,
    body: `<h1>Mail</h1>
${messages || '<p>Nothing yet. Mail that the platform sends appears here; reload to see it.</p>'}`,
  })
}

function article({ at, to, source }: CaughtMail): string {
  const { subject, text } = read(source)
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<small>to ${escapeHtml(to.join(', '))}, ${at.toISOString()}</small>
<pre>${linked(escapeHtml(text))}</pre>
</article>`
}

/** Reads as much of the format as our own messages use: one part, plain or quoted-printable. */
function read(source: string): { subject: string; text: string } {
  const [head = '', ...body] = source.split(/\r?\n\r?\n/)
  const [, subject = '(no subject)'] = /^subject: (.*)$/im.exec(head) ?? []
  const text = body.join('\n\n')
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head)
  return { subject, text: isQuoted ? unquote(text) : text }
}

function unquote(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

function linked(escaped: string): string {
  return escaped.replaceAll(/https?:\/\/[^\s<]+/g, '<a href="$&">$&</a>')
}

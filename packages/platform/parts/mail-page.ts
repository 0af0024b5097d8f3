import { escapeHtml } from '../../../lib/design/html.ts'
import { styledPage } from '../../../lib/design/styled-page.ts'

/** A message that the mail catcher has received, decoded. */
export type CaughtMail = {
  id: string
  receivedAt: Date
  to: string[]
  subject: string
  text: string
  /** Null for a message that has no such part. */
  html: string | null
}

/** The page of caught messages, the latest first; addresses of the web in them are links. */
export function mailPage(caught: readonly CaughtMail[]): string {
  const messages = caught.map(mailArticle).join('\n')
  return styledPage({
    title: 'Mail',
    body:
      messages ||
      '<p>Nothing yet. Mail that the platform sends appears here; reload to see it.</p>',
    layout: 'document',
  })
}

function mailArticle({ id, receivedAt, to, subject, text, html }: CaughtMail): string {
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<small>to ${escapeHtml(to.join(', '))}, ${receivedAt.toISOString().replace(/T(.*)\..*/, ' $1 UTC')}</small>
<pre class="prose">${withLinks(escapeHtml(text.trimEnd()))}</pre>
${html === null ? '' : htmlFrame(id, subject)}
</article>`
}

/** Where the HTML of a message is. */
export function htmlPath(id: string): string {
  return `/${id}.html`
}

/** Loaded only once somebody looks at it; its own policy keeps it in a box, too. */
function htmlFrame(id: string, subject: string): string {
  return `<details>
<summary>As programs for mail show it</summary>
<iframe src="${htmlPath(id)}" title="${escapeHtml(subject)}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe>
</details>`
}

/** Makes links of the addresses in a text that is escaped already. */
function withLinks(escaped: string): string {
  return escaped.replaceAll(/https?:\/\/[^\s<]+/g, '<a href="$&">$&</a>')
}

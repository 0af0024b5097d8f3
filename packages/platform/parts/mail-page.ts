import { type Html, html, joinHtml } from '../../../lib/design/html.ts'
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
  const messages = caught.map(mailArticle)
  return styledPage({
    title: 'Mail',
    body:
      messages.length > 0
        ? joinHtml(messages, '\n')
        : html`<p>Nothing yet. Mail that the platform sends appears here; reload to see it.</p>`,
    layout: 'document',
  })
}

function mailArticle({ id, receivedAt, to, subject, text, html: asHtml }: CaughtMail): Html {
  const time = receivedAt.toISOString().replace(/T(.*)\..*/, ' $1 UTC')
  return html`<article>
<h2>${subject}</h2>
<small>to ${to.join(', ')}, ${time}</small>
<pre class="prose">${withLinks(text.trimEnd())}</pre>
${asHtml === null ? null : htmlFrame(id, subject)}
</article>`
}

/** Where the HTML of a message is. */
export function htmlPath(id: string): string {
  return `/${id}.html`
}

/** Loaded only once somebody looks at it; its own policy keeps it in a box, too. */
function htmlFrame(id: string, subject: string): Html {
  return html`<details>
<summary>As programs for mail show it</summary>
<iframe src="${htmlPath(id)}" title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe>
</details>`
}

/** Makes links of the addresses in a text. */
function withLinks(text: string): Html {
  const parts = text.split(/(https?:\/\/[^\s<]+)/)
  // Every second part is an address.
  const linked = parts.map((part, i) =>
    i % 2 === 0 ? html`${part}` : html`<a href="${part}">${part}</a>`,
  )
  return joinHtml(linked, '')
}

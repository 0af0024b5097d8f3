import { type Html, html, joinHtml } from '../../../lib/design/html.ts'
import { styledPage } from '../../../lib/design/styled-page.ts'

/** A message that the mail catcher has received, decoded. */
export type CaughtMail = {
  id: string
  receivedAt: Date
  to: string[]
  subject: string
  text: string
  /** Null for a message without HTML. */
  html: string | null
}

/** Returns the page of messages, newest first. Web addresses in a message are links. */
export function mailPage(mails: readonly CaughtMail[]): string {
  const messages = mails.map(mailArticle)
  return styledPage({
    title: 'Mail',
    body:
      messages.length > 0
        ? joinHtml(messages, '\n')
        : html`<p>No mail yet. Mail from the platform appears here. Reload the page to see it.</p>`,
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

/** Returns the path of a message's HTML. */
export function htmlPath(id: string): string {
  return `/${id}.html`
}

/** Loads the HTML when the user opens it. The response has a sandbox policy, too. */
function htmlFrame(id: string, subject: string): Html {
  return html`<details>
<summary>Show as HTML</summary>
<iframe src="${htmlPath(id)}" title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe>
</details>`
}

/** Turns web addresses in a text into links. */
function withLinks(text: string): Html {
  const parts = text.split(/(https?:\/\/[^\s<]+)/)
  // Every second part is an address.
  const partsWithLinks = parts.map((part, i) =>
    i % 2 === 0 ? html`${part}` : html`<a href="${part}">${part}</a>`,
  )
  return joinHtml(partsWithLinks, '')
}

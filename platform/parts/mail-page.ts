import { escapeHtml } from '../../lib/http/html.ts'
import { styledPage } from '../../lib/http/styled-page.ts'

/** A message that the mail catcher has received, decoded. */
export type CaughtMail = { receivedAt: Date; to: string[]; subject: string; text: string }

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

function mailArticle({ receivedAt, to, subject, text }: CaughtMail): string {
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<small>to ${escapeHtml(to.join(', '))}, ${receivedAt.toISOString()}</small>
<pre class="prose">${withLinks(escapeHtml(text))}</pre>
</article>`
}

/** Makes links of the addresses in a text that is escaped already. */
function withLinks(escaped: string): string {
  return escaped.replaceAll(/https?:\/\/[^\s<]+/g, '<a href="$&">$&</a>')
}

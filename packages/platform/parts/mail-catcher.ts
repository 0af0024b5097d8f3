import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { pagePolicy } from '../../../lib/design/styled-page.ts'
import { listenOn } from '../../../lib/runtime/http/listen.ts'
import { refuseOtherHosts } from '../../../lib/runtime/http/own-hosts.ts'
import { type CaughtMail, htmlPath, mailPage } from './mail-page.ts'

export type MailCatcher = { smtpUrl: string; pageUrl: string; stop(): Promise<void> }

type Ports = { SMTP_PORT: number; MAIL_PAGE_PORT: number }

const LOOPBACK = '127.0.0.1'

/** How many messages are kept; older ones are dropped. */
const MAX_KEPT_MESSAGES = 200

const MAX_MESSAGE_BYTES = 1_000_000

/**
 * A mail server that delivers nothing: it accepts every message and shows the latest on a page.
 *
 * Both listen on loopback only, and the page answers under this machine's own names.
 */
export async function startMailCatcher({ SMTP_PORT, MAIL_PAGE_PORT }: Ports): Promise<MailCatcher> {
  const caught: CaughtMail[] = []
  const smtp = catchInto(caught)
  const page = createServer((request, response) => {
    refuseOtherHosts(request, response, () => {
      const { html, policy } = pageAt(request.url ?? '/', caught)
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('content-security-policy', policy)
      response.end(html)
    })
  })
  await listenOn(smtp.server, { host: LOOPBACK, port: SMTP_PORT })
  await listenOn(page, { host: LOOPBACK, port: MAIL_PAGE_PORT })
  return {
    smtpUrl: `smtp://127.0.0.1:${SMTP_PORT}`,
    pageUrl: `http://localhost:${MAIL_PAGE_PORT}`,
    async stop() {
      page.closeAllConnections()
      await new Promise((resolve) => page.close(resolve))
      await new Promise<void>((resolve) => smtp.close(() => resolve()))
    },
  }
}

/** The HTML of one message, as its sender wrote it but in a box; at any other path, the page of all messages. */
function pageAt(path: string, caught: readonly CaughtMail[]): { html: string; policy: string } {
  const message = caught.find(({ id }) => path === htmlPath(id))
  return message?.html
    ? { html: withLinksElsewhere(message.html), policy: BOX_POLICY }
    : { html: mailPage(caught), policy: pagePolicy({ frames: "'self'" }) }
}

/** Styles where they are used, and nothing else: no script, no picture, no form. A link opens a tab of its own. */
const BOX_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'"

function withLinksElsewhere(html: string): string {
  return html.replace(/<head[^>]*>/i, '$&<base target="_blank">')
}

function catchInto(caught: CaughtMail[]): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MAX_MESSAGE_BYTES,
    closeTimeout: 1_000,
    onData(stream, { envelope }, done) {
      const to = envelope.rcptTo.map(({ address }) => address)
      readMessage(stream)
        .then((message) => {
          caught.unshift({ id: randomUUID(), receivedAt: new Date(), to, ...message })
          caught.splice(MAX_KEPT_MESSAGES)
          done()
        })
        .catch(done)
    },
  })
}

/**
 * Decodes a message. One without a plain text is shown as the source of its HTML, too, since the page has no markup of
 * others.
 *
 * @throws Error when the message is too large, or nested too deeply
 */
async function readMessage(stream: SMTPServerDataStream) {
  const source = await buffer(stream)
  if (stream.sizeExceeded) throw new Error('The message is too large.')
  const { subject = '(no subject)', text, html } = await PostalMime.parse(source)
  return { subject, text: text ?? html ?? '', html: html ?? null }
}

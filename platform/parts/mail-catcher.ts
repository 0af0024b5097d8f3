import { createServer, type Server } from 'node:http'
import { SMTPServer } from 'smtp-server'
import { type CaughtMail, mailPage } from './mail-page.ts'

export type MailCatcher = { smtpUrl: string; pageUrl: string; stop(): Promise<void> }

type Ports = { SMTP_PORT: number; MAIL_PAGE_PORT: number }

/** How many messages are kept; older ones are dropped. */
const MAX_KEPT = 200

/** Bytes of a message, at most. */
const MAX_BYTES = 1_000_000

/**
 * A mail server that delivers nothing: it accepts every message and shows the latest on a page.
 *
 * Both listen on loopback only.
 */
export async function startMailCatcher({ SMTP_PORT, MAIL_PAGE_PORT }: Ports): Promise<MailCatcher> {
  const caught: CaughtMail[] = []
  const smtp = catchInto(caught)
  const page = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    response.end(mailPage(caught))
  })
  await listen(smtp.server, SMTP_PORT)
  await listen(page, MAIL_PAGE_PORT)
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

function catchInto(caught: CaughtMail[]): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MAX_BYTES,
    closeTimeout: 1_000,
    onData(stream, { envelope }, done) {
      let source = ''
      stream.setEncoding('utf8').on('data', (text: string) => {
        source += text
      })
      stream.on('error', done).on('end', () => {
        if (stream.sizeExceeded) return done(new Error('The message is too large.'))
        caught.unshift({
          at: new Date(),
          to: envelope.rcptTo.map(({ address }) => address),
          source,
        })
        caught.splice(MAX_KEPT)
        done()
      })
    },
  })
}

function listen(server: Server | SMTPServer['server'], port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
}

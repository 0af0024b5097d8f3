import { createTransport } from 'nodemailer'
import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { present } from '../../lib/runtime/present.ts'

export type Message = {
  /** Becomes the Message-ID, by which a mailbox that gets a message twice recognises it. */
  id: string
  to: string
  subject: string
  /** The two forms of what it says; programs for mail show the one that their users like. */
  text: string
  html: string
}

export type Mailer = {
  /** Resolves when the mail server has accepted the message. */
  send(message: Message): Promise<void>
  close(): void
}

type Options = {
  /** `smtp://` or `smtps://`, with user and password where the server needs them. */
  url: string
  from: string
  /** Messages sent at a time, each over a pooled connection of its own. */
  concurrency: number
  timeoutMs: number
}

/** Sends messages through a mail server, over SMTP. */
export function createMailer({ url, from, concurrency, timeoutMs }: Options): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: concurrency,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = present(from.split('@')[1], 'the domain in MAIL_FROM').replace(/>$/, '')
  const { host } = new URL(`mail://${domain}`)
  return {
    async send({ id, to, subject, text, html }) {
      const headers = { 'Auto-Submitted': 'auto-generated' }
      const messageId = `<${id}@${host}>`
      // Given as an object, an address cannot be parsed into several.
      const sending = transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers,
        messageId,
      })
      // The transport's own timeouts begin anew with every byte.
      const sent = await resultInTime(3 * timeoutMs, sending)
      if (!sent) throw new Error('The mail server is too slow.')
    },
    close: () => transport.close(),
  }
}

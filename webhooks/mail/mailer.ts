import { createTransport } from 'nodemailer'

export type Message = {
  /** The same for the same message, so that a mailbox that gets it twice can tell. */
  id: string
  to: string
  subject: string
  text: string
}

export type Mailer = {
  /** Resolves when the mail server has taken the message over. */
  send(message: Message): Promise<void>
  close(): void
}

type Options = {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  url: string
  from: string
  /** Messages at one time, each over a kept connection of its own: none waits in a queue unseen. */
  concurrency: number
  timeoutMs: number
}

/** The way to the mail server, over SMTP. */
export function mailer({ url, from, concurrency, timeoutMs }: Options): Mailer {
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
  const host = new URL(`mail://${from.split('@')[1]?.replace(/>$/, '')}`).host
  return {
    async send({ id, to, subject, text }) {
      const headers = { 'Auto-Submitted': 'auto-generated' }
      const messageId = `<${id}@${host}>`
      // As an object, an address is never parsed into several.
      const sending = transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        headers,
        messageId,
      })
      await before(3 * timeoutMs, sending)
    },
    close: () => transport.close(),
  }
}

/** The transport's time-outs begin anew with every byte; this one does not. */
async function before<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The mail server is too slow.')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

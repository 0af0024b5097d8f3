import { SMTPServer } from 'smtp-server'

export type Mail = { to: string[]; source: string }

/** The server's reaction to a mail. */
export type Manner = 'takes' | 'refuses' | 'never answers'

/** Creates an SMTP server. A test can change its behaviour, stop it, and start it again on the same port. */
export function smtpServer(port: number) {
  const received: Mail[] = []
  let server: SMTPServer | null = null
  const state: { manner: Manner; offered: number } = { manner: 'takes', offered: 0 }
  return {
    received,
    state,
    url: `smtp://127.0.0.1:${port}`,
    async start() {
      server = make(received, state)
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', () => resolve()))
    },
    async stop() {
      await new Promise<void>((resolve) => server?.close(() => resolve()) ?? resolve())
      server = null
    },
  }
}

function make(received: Mail[], state: { manner: Manner; offered: number }): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 10,
    logger: false,
    onData(stream, { envelope }, done) {
      let source = ''
      stream.setEncoding('utf8').on('data', (text: string) => {
        source += text
      })
      stream.on('end', () => {
        state.offered++
        if (state.manner === 'never answers') return
        if (state.manner === 'refuses')
          return done(Object.assign(new Error('Not today.'), { responseCode: 451 }))
        received.push({ to: envelope.rcptTo.map(({ address }) => address), source })
        done()
      })
    },
  }).on('error', () => {})
}

/** Returns the token of the link in a mail. */
export function tokenIn({ source }: Mail): string {
  const text = source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  return (
    /(?:verify-email|accept-invite|reset-password|change-email)\?token=([\w-]+)/.exec(text)?.[1] ??
    ''
  )
}

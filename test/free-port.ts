import { createServer } from 'node:net'

/** A port that nothing listens on now; below the range the system gives to outgoing connections. */
export async function freePort(): Promise<number> {
  const port = 12_000 + Math.floor(Math.random() * 18_000)
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
  return free ? port : freePort()
}

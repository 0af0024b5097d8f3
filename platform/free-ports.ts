import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Makes sure that every port can be listened on before anything is started.
 *
 * @param ports by the name of the variable that chooses each
 * @throws Error naming all that are in use, and how to choose others
 */
export async function requireFreePorts(ports: Record<string, number>): Promise<void> {
  const names = Object.keys(ports)
  const free = await Promise.all(Object.values(ports).map(becomesFree))
  const taken = names.filter((_, i) => !free[i])
  if (taken.length === 0) return
  const list = taken.map((name) => `port ${ports[name]} (${name})`).join(', ')
  const example = taken.map((name) => `${name}=${(ports[name] ?? 0) + 100}`).join(' ')
  throw new Error(
    `In use: ${list}. End the program that listens there (another "npm start"?), or choose other ports: ${example} npm start`,
  )
}

/** The parts of a platform that was killed end by themselves, but not at once. */
async function becomesFree(port: number): Promise<boolean> {
  for (const deadline = Date.now() + 2_000; Date.now() < deadline; await pause(50))
    if (await isFree(port)) return true
  return false
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** What this process was given; it need not listen there yet. */
const given = new Set<number>()

/** Below the range that the system gives to outgoing connections; processes of one time seldom share. */
const FIRST = 12_000 + (process.pid % 6) * 3_000

/** A port that nothing listens on now, and that nobody else in this process was given. */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * 3_000)
  if (given.has(port)) return freePort()
  given.add(port)
  return (await isFree(port)) ? port : freePort()
}

import { startDatabase, type TestDatabaseServer } from './start-database.ts'

/** A server that this process starts on first use. */
export type SharedDatabase = { url: string; release(): void }

/** The time for which an unused server stays, for the next test. */
const LINGER_MS = 500

let server: Promise<TestDatabaseServer> | undefined
let users = 0
let stopTimer: NodeJS.Timeout | undefined

/** Returns this process's server, and counts its users. */
export async function shareDatabase(): Promise<SharedDatabase> {
  clearTimeout(stopTimer)
  users += 1
  server ??= startDatabase()
  try {
    const { url } = await server
    return { url, release }
  } catch (error) {
    server = undefined
    release()
    throw error
  }
}

/** Ends the server soon after its last user. The timer keeps the process alive until then. */
function release(): void {
  users -= 1
  if (users > 0) return
  stopTimer = setTimeout(async () => {
    const idleServer = server
    server = undefined
    await (await idleServer)?.close()
  }, LINGER_MS)
}

import { startDatabase, type TestDatabaseServer } from './start-database.ts'

/** The database server of this process, which starts on first use. Call `release` when the server is no longer needed. */
export type SharedDatabase = { url: string; release(): void }

/** The time for which an unused server keeps running, so that the next test can use it. */
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

/** Removes a user, and stops the server `LINGER_MS` after the last user. The timer keeps the process alive until then. */
function release(): void {
  users -= 1
  if (users > 0) return
  stopTimer = setTimeout(async () => {
    const idleServer = server
    server = undefined
    await (await idleServer)?.close()
  }, LINGER_MS)
}

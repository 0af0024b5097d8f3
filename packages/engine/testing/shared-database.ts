import { startDatabase, type TestDatabaseServer } from './start-database.ts'

/** A server that is started for the first who needs it in this process. */
export type SharedDatabase = { url: string; release(): void }

/** How long it stays when nobody needs it: the next test may be about to. */
const LINGER_MS = 500

let server: Promise<TestDatabaseServer> | undefined
let users = 0
let ending: NodeJS.Timeout | undefined

/** Gives the process's own server to one more user. */
export async function shareDatabase(): Promise<SharedDatabase> {
  clearTimeout(ending)
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

/** The timer keeps the process alive until the server has ended. */
function release(): void {
  users -= 1
  if (users > 0) return
  ending = setTimeout(async () => {
    const ended = server
    server = undefined
    await (await ended)?.close()
  }, LINGER_MS)
}

import { createLogger } from '../../../../lib/runtime/log/log.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { readConfig } from '../../config/config.ts'
import { serveEngine } from '../../server/serve-engine.ts'
import { ADMIN_SECRET, askEngine, engineVariables, type ServedEngine } from './start-engine.ts'

/**
 * Serves the engine in the test's process, which saves the start of another process. Tests that read the engine's output,
 * kill the engine, or need its responses while the test is busy use `startEngine`.
 *
 * @param environment settings besides the database, the port and the admin secret; null unsets a setting
 */
export async function serveEngineHere(
  databaseUrl: string,
  environment: Record<string, string | null> = {},
): Promise<ServedEngine> {
  const port = environment.HASURA_GRAPHQL_SERVER_PORT ?? (await freePort())
  const config = readConfig(engineVariables(databaseUrl, port, environment))
  const server = await serveEngine(config, createLogger('engine', 'silent'))
  let stopping: Promise<unknown> | undefined
  const stop = () => {
    stopping ??= server.stop()
    return stopping
  }
  const adminSecret = environment.HASURA_GRAPHQL_ADMIN_SECRET || ADMIN_SECRET
  return { ...askEngine(`http://127.0.0.1:${port}`, adminSecret), stop }
}

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StopServer } from '../../../lib/runtime/http/stop-server.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { stopOnSignal } from '../../../lib/runtime/stop-on-signal.ts'
import { startTracing } from '../../../lib/runtime/telemetry/tracing.ts'
import type { Inconsistency } from '../compiler/model/inconsistency.ts'
import { type Config, readConfig } from '../config/config.ts'
import { ignoredVariables } from '../config/ignored-variables.ts'
import { VERSION } from '../config/version.ts'
import { startScheduler } from '../jobs/scheduler.ts'
import { startWorker } from '../jobs/worker.ts'
import { createEngineLog } from '../log/engine-log.ts'
import { openTypedLog } from '../log/typed-log.ts'
import { checkMetadata, readMetadataDocument } from '../metadata/folder/read-metadata-folder.ts'
import { emptyMetadata } from '../metadata/metadata.ts'
import { allowInconsistent } from '../metadata-store/consistency-rules.ts'
import { type MetadataStore, openMetadataStore } from '../metadata-store/metadata-store.ts'
import { prepareDatabase } from '../runtime/database/migrations.ts'
import { type Engine, openEngine } from '../runtime/engine.ts'
import { createAuthenticator } from '../session/authenticate.ts'
import type { EngineServices } from './http/endpoint.ts'
import { startHttpServer } from './http-server.ts'
import { startWebsocketServer } from './websocket/websocket-server.ts'

/**
 * Serves until this process gets a signal to end.
 *
 * @param environment the settings, and the variables that the metadata names
 * @throws if the server cannot start
 */
export async function runServer(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const log = createEngineLog(config.logLevel)
  const tracing = await startTracing({
    service: 'engine',
    endpoint: config.tracesEndpoint ?? undefined,
    ratio: config.tracesShare,
  })
  openTypedLog(log, 'startup', config).write('info', {
    kind: 'server_configuration',
    info: describeConfig(config),
  })
  const server = await serveEngine(config, log)
  return new Promise((resolve) => {
    stopOnSignal(log, async () => {
      await server.stop()
      await tracing.close()
      resolve()
    })
  })
}

/** Returns the settings that Hasura writes into the log at the start, without secrets. */
function describeConfig(config: Config): object {
  return {
    server_version: VERSION,
    port: config.port,
    log_level: config.logLevel,
    enabled_log_types: config.enabledLogTypes,
    enabled_apis: config.enabledApis,
    admin_secret_set: config.adminSecret !== null,
    auth_hook_set: config.authHook !== null,
    jwt_set: (config.jwtSecret ?? config.jwtSecrets) !== null,
    enable_console: config.enableConsole,
    dev_mode: config.devMode,
  }
}

/** An engine that serves requests. */
export type ServedEngine = {
  /** The port that the engine listens on. If the settings have port 0, the operating system has chosen it. */
  port: number
  /** Returns the inconsistent objects of the metadata, which are not served. */
  inconsistencies(): readonly Inconsistency[]
  /**
   * Applies new migrations, and the current content of the metadata folder.
   *
   * @returns the inconsistent objects
   * @throws if a migration fails, or the folder cannot be read; the metadata then stays as it was
   */
  applyProject(): Promise<readonly Inconsistency[]>
  /** Stops the engine once its running requests have finished, or the time for them is over. */
  stop(): Promise<void>
}

/**
 * Migrates the databases, reads the metadata, and starts the HTTP server, the WebSocket server and the jobs.
 *
 * @param prepare called after the migrations, before the engine serves requests
 * @throws if the configuration, the metadata folder or the database cannot be used, or `prepare` throws
 */
export async function serveEngine(
  config: Config,
  log: Log,
  prepare: () => Promise<void> = async () => {},
): Promise<ServedEngine> {
  const authenticate = await createAuthenticator(config, log)
  const { folder, metadata, hasMigrated } = await readProject(config, log)
  const engine = await openEngine(config, log, metadata)
  try {
    const store = await openMetadataStore(engine, folder)
    if (hasMigrated) await store.touch()
    for (const ignored of ignoredVariables(config.environment, store.current().document))
      log.warn(ignored, 'a variable has no effect')
    await prepare()
    return await startServing({ engine, authenticate, store })
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function startServing(services: EngineServices): Promise<ServedEngine> {
  const { engine, store } = services
  const { config, log } = engine
  const schedulers = config.disableEventing
    ? []
    : [startScheduler(engine, () => store.current().resourceVersion)]
  // Waits for the row triggers, because a row that is written before its trigger exists never gets an event.
  await Promise.race([
    Promise.all(schedulers.map(({ prepared }) => prepared)),
    sleep(PREPARATION_WAIT_MS, null, { ref: false }),
  ])
  const { server, stopServer } = await startHttpServer(services).catch(async (error: unknown) => {
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()))
    throw error
  })
  const sockets = startWebsocketServer(server, services)
  const metadataSync = startWorker('metadata', config.schemaSyncMs, store.catchUp, log)
  const { port } = boundAddress(server)
  openTypedLog(log, 'startup', config).write('info', {
    kind: 'server',
    info: { message: 'listening', port },
  })
  return {
    port,
    inconsistencies: () => engine.schemaCache().inconsistencies,
    applyProject: () => applyProject(config, log, store),
    stop: () =>
      stopEngineServer({ stopServer, sockets, workers: [...schedulers, metadataSync], engine }),
  }
}

/** The longest wait for the row triggers. If a client locks a table for longer, the engine starts without the table's triggers. */
const PREPARATION_WAIT_MS = 10_000

/** Reads the metadata folder, and applies the migrations. */
async function readProject(config: Config, log: Log) {
  const reading = readFolder(config, log)
  const migrating = config.maintenanceMode
    ? false
    : prepareDatabase(
        config,
        log,
        reading.then(({ metadata }) => metadata),
      )
  const [project, hasMigrated] = await Promise.all([reading, migrating])
  return { ...project, hasMigrated }
}

async function applyProject(config: Config, log: Log, store: MetadataStore) {
  const { folder } = await readProject(config, log)
  return store.change((storedDocument) => folder ?? storedDocument, allowInconsistent)
}

function boundAddress(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port')
  return address
}

async function readFolder({ metadataDir }: Config, log: Log) {
  if (metadataDir === null) return { folder: null, metadata: emptyMetadata() }
  const folder = await readMetadataDocument(metadataDir)
  const { metadata, warnings } = checkMetadata(metadataDir, folder)
  for (const warning of warnings) log.warn(warning)
  return { folder, metadata }
}

type RunningServer = {
  stopServer: StopServer
  sockets: { close(): void }
  workers: readonly { stop(): Promise<void> }[]
  engine: Engine
}

/**
 * Rejects new connections, and lets running requests finish. For `drainSeconds`, still accepts requests on open connections. Aborts
 * the remaining requests `shutdownSeconds` later.
 */
async function stopEngineServer({ stopServer, sockets, workers, engine }: RunningServer) {
  const graceMs = engine.config.shutdownSeconds * 1_000
  const drainMs = engine.config.drainSeconds * 1_000
  const serverStop = stopServer({ drainMs, graceMs })
  sockets.close()
  const finished = Promise.all([serverStop, ...workers.map((worker) => worker.stop())])
  await Promise.race([finished, sleep(drainMs + graceMs, null, { ref: false })])
  await Promise.race([engine.close(), sleep(CANCEL_WAIT_MS, null, { ref: false })])
}

/** The time to wait for the cancellation of the aborted requests' statements. */
const CANCEL_WAIT_MS = 1_000

import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, logger } from '../lib/telemetry/log.ts'
import { startTracing } from '../lib/telemetry/tracing.ts'
import { type Config, readConfig } from './config.ts'
import { prepareDatabase } from './database/migrations.ts'
import { openMetadataStore } from './document/metadata-store.ts'
import { type Engine, startEngine } from './engine.ts'
import { startHttpServer } from './http-server.ts'
import { emptyMetadata } from './metadata/metadata.ts'
import { metadataOf, readDocument } from './metadata/read.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import { startWorker } from './scheduler/worker.ts'
import { createAuthenticator } from './session/authenticate.ts'
import { startWebsocketServer } from './websocket/websocket-server.ts'

main(process.env).catch((error: unknown) => {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  process.stderr.write(`The engine cannot start. ${reason}\n`)
  process.exit(1)
})

async function main(environment: NodeJS.ProcessEnv) {
  const config = readConfig(environment)
  const log = logger('engine', config.logLevel)
  const tracing = await startTracing({
    service: 'engine',
    endpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: Number(environment.OTEL_TRACES_SAMPLER_ARG || 1),
  })
  const server = await startServices(config, log)
  let ending = false
  const end = async () => {
    // A second signal changes nothing: on Ctrl-C, both the terminal and `npm run` send one.
    if (ending) return
    ending = true
    log.info('stopping')
    await server.stop()
    await tracing.close()
    process.exit(0)
  }
  for (const event of ENDINGS) process.on(event, end)
  // The parent may have gone before we listened for that; without a channel this is undefined.
  if (process.connected === false) await end()
}

/**
 * Events that end the process;
 * `disconnect` means that the parent process, if it has a channel to us, has gone.
 */
const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect']

async function startServices(config: Config, log: Log) {
  const authenticate = await createAuthenticator(config)
  const { metadataDir } = config
  const [folder, hasMigrated] = await Promise.all([
    metadataDir === null ? null : readDocument(metadataDir),
    prepareDatabase(config, log),
  ])
  const metadata = metadataDir && folder ? metadataOf(metadataDir, folder) : emptyMetadata()
  const engine = await startEngine(config, log, metadata)
  const store = await openMetadataStore(engine, folder)
  if (hasMigrated) await store.touch()
  const services = { engine, authenticate, store }
  const server = await startHttpServer(services)
  const sockets = startWebsocketServer(server, services)
  const scheduler = startScheduler(engine)
  const sync = startWorker('metadata', config.schemaSyncMs, store.catchUp, log)
  log.info({ port: config.port }, 'listening')
  return { stop: () => stopServices({ server, sockets, workers: [scheduler, sync], engine }) }
}

type RunningServices = {
  server: Server
  sockets: { close(): void }
  workers: readonly { stop(): Promise<void> }[]
  engine: Engine
}

/** Accepts no new requests and finishes those that run; after `shutdownSeconds` the rest is cut off. */
async function stopServices({ server, sockets, workers, engine }: RunningServices) {
  const closed = once(server, 'close')
  server.close()
  sockets.close()
  // A kept connection becomes idle when its last answer is sent, and would then hold the server open.
  const sweeper = setInterval(() => server.closeIdleConnections(), 20)
  const { shutdownSeconds } = engine.config
  const finished = Promise.all([closed, ...workers.map((worker) => worker.stop())])
  await Promise.race([finished, sleep(shutdownSeconds * 1000, null, { ref: false })])
  clearInterval(sweeper)
  server.closeAllConnections()
  await Promise.race([engine.close(), sleep(CANCEL_WAIT_MS, null, { ref: false })])
}

/** How long to wait for the statements of callers who were cut off to be cancelled, in milliseconds. */
const CANCEL_WAIT_MS = 1_000

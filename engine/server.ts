import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, logger } from '../lib/log.ts'
import { startTracing } from '../lib/tracing.ts'
import { openMetadataStore } from './api/metadata-store.ts'
import { type Config, readConfig } from './config.ts'
import { type Engine, start } from './engine.ts'
import { listen } from './http/listen.ts'
import { emptyMetadata } from './metadata/metadata.ts'
import { metadataOf, readDocument } from './metadata/read.ts'
import { prepareDatabase } from './migrations.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import { worker } from './scheduler/worker.ts'
import { authenticator } from './session/authenticate.ts'
import { acceptSockets } from './websocket/sockets.ts'

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
  const server = await serve(config, log)
  let ending = false
  const end = async () => {
    // Asked again it goes on as it was: `npm run` passes on a Ctrl-C that the terminal has sent as well.
    if (ending) return
    ending = true
    log.info('stopping')
    await server.stop()
    await tracing.close()
    process.exit(0)
  }
  for (const event of ENDINGS) process.on(event, end)
  // The starter was gone before anybody listened for that; without a channel this is undefined.
  if (process.connected === false) await end()
}

/** `disconnect`: whoever started this process, and holds its channel, is gone. */
const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect']

async function serve(config: Config, log: Log) {
  const authenticate = await authenticator(config)
  const { metadataDir } = config
  const [folder, hasMigrated] = await Promise.all([
    metadataDir === null ? null : readDocument(metadataDir),
    prepareDatabase(config, log),
  ])
  const metadata = metadataDir && folder ? metadataOf(metadataDir, folder) : emptyMetadata()
  const engine = await start(config, log, metadata)
  const store = await openMetadataStore(engine, folder)
  if (hasMigrated) await store.touch()
  const services = { engine, authenticate, store }
  const server = await listen(services)
  const sockets = acceptSockets(server, services)
  const scheduler = startScheduler(engine)
  const sync = worker('metadata', config.schemaSyncMs, store.catchUp, log)
  log.info({ port: config.port }, 'listening')
  return { stop: () => stop({ server, sockets, workers: [scheduler, sync], engine }) }
}

type Running = {
  server: Server
  sockets: { close(): void }
  workers: readonly { stop(): Promise<void> }[]
  engine: Engine
}

/** Takes no new requests, finishes what is running, within the time it is given; the rest is cut off. */
async function stop({ server, sockets, workers, engine }: Running) {
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
  await Promise.race([engine.close(), sleep(CUT_OFF_MS, null, { ref: false })])
}

/** Callers who are cut off take their statements along; for one that nobody can stop nobody waits. */
const CUT_OFF_MS = 1_000

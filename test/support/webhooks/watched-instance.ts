import { createServer, type Server } from 'node:http'
import { expect } from 'vitest'
import { readConfig } from '../../../lib/runtime/config.ts'
import { createLogger } from '../../../lib/runtime/log/log.ts'
import { createApp } from '../../../webhooks/app.ts'
import { forwardSockets } from '../../../webhooks/proxy/sockets/forward-sockets.ts'
import { startServices } from '../../../webhooks/services.ts'
import { watch } from './openapi/contract.ts'

type Instance = {
  env: Record<string, string>
  host: string
  port: number
  now: () => number
  documentedAnswers: Set<string>
}

/** Starts an instance, and compares each of its responses with `/openapi.json`. */
export async function startInstance({ env, host, port, now, documentedAnswers }: Instance) {
  const log = createLogger('test', 'silent')
  const services = await startServices(readConfig(env), { log, now })
  const handle = createApp(services)
  const faults: string[] = []
  const judgeLater = watch(faults, documentedAnswers)
  const server = createServer((request, response) => {
    judgeLater(request, response)
    handle(request, response)
  })
  const sockets = forwardSockets({
    ...services.hasura,
    baseUrl: services.baseUrl,
    idleMs: 60_000,
    trustedProxyHops: 0,
    gate: services.gate,
    callers: services.callers,
    loop: services.loop,
    log,
  })
  server.on('upgrade', sockets.upgrade)
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  /** Fails if a response since the last call is not in `/openapi.json`. */
  function expectDocumented() {
    expect(faults.splice(0), 'responses that /openapi.json does not have').toEqual([])
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    expectDocumented,
    /** The metrics of the instance. */
    registry: services.metrics.registry,
    async stop() {
      sockets.close()
      await close(server)
      await services.close()
      expectDocumented()
    },
  }
}

async function close(server: Server) {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

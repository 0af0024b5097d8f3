import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from '../log/log.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { serveMetricsText } from '../telemetry/metrics.ts'

type Options = { count: number; host: string; metricsPort: number | undefined; log: Log }

/** The delay before a crashed process is restarted. */
const RESTART_MS = 1_000

/**
 * Runs this program in `count` processes. The processes share the ports, and get new connections in turn. This process
 * serves the metrics of all processes together. A process that ends unexpectedly is restarted. If no process can start,
 * this process ends too.
 */
export async function runProcesses({ count, host, metricsPort, log }: Options): Promise<void> {
  let isStopping = false
  const metrics = new AggregatorRegistry()
  const metricsServer = await serveMetricsText(
    { contentType: metrics.contentType, read: () => metrics.clusterMetrics() },
    { host, port: metricsPort, log },
  )
  const ready = new Set<Worker>()
  cluster.on('listening', (worker) => ready.add(worker))
  cluster.on('exit', async (worker, code, signal) => {
    if (isStopping) return
    // The process ended before it listened, and no other process listens. Its output gives the reason. While another
    // process listens, the ended process is restarted.
    if (!ready.delete(worker) && ready.size === 0) process.exit(1)
    log.error(
      { pid: worker.process.pid, code, signal },
      'a process ended unexpectedly; restarting it',
    )
    await sleep(RESTART_MS)
    if (!isStopping) cluster.fork()
  })
  stopOnSignal(log, async () => {
    isStopping = true
    await Promise.all(runningWorkers().map(endWorker))
    await metricsServer.close()
    if (process.connected) process.disconnect()
  })
  for (let index = 0; index < count; index++) cluster.fork()
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
}

/** Ends a process; the process finishes its running requests first. */
async function endWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await ended
}

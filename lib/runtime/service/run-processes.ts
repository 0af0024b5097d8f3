import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Log } from '../log/log.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { serveMetricsText } from '../telemetry/metrics.ts'

type Options = { count: number; host: string; metricsPort: number | undefined; log: Log }

/** One that ends by itself is started again after this long. */
const RESTART_MS = 1_000

/**
 * Runs this program in so many processes, which share its ports: connections go to them in turns. Their metrics are
 * served together. One that ends by itself is started again; when none of them can start, this process ends, too.
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
    // None can start: what it has written says why. While others answer, it is tried again.
    if (!ready.delete(worker) && ready.size === 0) process.exit(1)
    log.error(
      { pid: worker.process.pid, code, signal },
      'a process has ended, and is started again',
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
  for (let started = 0; started < count; started++) cluster.fork()
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
}

/** Lets a process finish what is under way. */
async function endWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await ended
}

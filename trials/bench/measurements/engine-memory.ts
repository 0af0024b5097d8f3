import { startBenchDatabase } from '../contenders/bench-database.ts'
import { type GraphqlContender, startEngineContender } from '../contenders/graphql-servers.ts'
import { WORKLOADS } from '../load/graphql-workloads.ts'
import { runClosedLoop } from '../load/http-load.ts'
import { readProcessCost } from '../load/process-cost.ts'
import { createShop, type Shop } from '../load/shop-database.ts'
import type { Figure } from '../report/figure.ts'

const CONNECTIONS = 16
const STEPS = 8
/** 200,000 requests in total, after another step to warm up. */
const REQUESTS_PER_STEP = 25_000

/** Measures whether memory grows with the number of requests. The requests read or insert only a few rows. */
export async function measureEngineMemory(): Promise<Figure[]> {
  const site = await startBenchDatabase()
  const shop = createShop(1_000)
  try {
    const { engine } = await startEngineContender(site, shop)
    await sendStep(engine, shop, 0)
    const memory = [readProcessCost(engine.pid).memoryMb]
    for (let step = 1; step <= STEPS; step++) {
      await sendStep(engine, shop, step * REQUESTS_PER_STEP)
      memory.push(readProcessCost(engine.pid).memoryMb)
    }
    const half = Math.floor(memory.length / 2)
    const before = computeMean(memory.slice(0, half))
    const after = computeMean(memory.slice(-half))
    return [
      {
        name: `memory over ${STEPS * REQUESTS_PER_STEP} requests, second half ÷ first`,
        value: after,
        unit: 'MB',
        baseline: before,
        target: { atMost: 1.05 },
        note: `after each ${REQUESTS_PER_STEP}: ${memory.map((mb) => mb.toFixed(0)).join(', ')} MB`,
      },
    ]
  } finally {
    await site.stop()
  }
}

async function sendStep(engine: GraphqlContender, shop: Shop, first: number) {
  const { samples } = await runClosedLoop(engine.url, readCalls(engine, shop, first), CONNECTIONS)
  if (samples.some(({ failed }) => failed)) throw new Error('A request to the engine failed.')
}

function* readCalls(engine: GraphqlContender, shop: Shop, first: number) {
  const kinds = WORKLOADS.filter(({ name }) => ['by_pk', 'insert_one'].includes(name))
  for (let n = first; n < first + REQUESTS_PER_STEP; n++) {
    // One in a hundred requests inserts a row.
    const workload = kinds[n % 100 === 0 ? 1 : 0]
    if (workload) yield engine.call(workload, workload.variables(n, shop))
  }
}

function computeMean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { expectThat, INSTANCES, type World } from './world.ts'

const PAGE = 'docs/operations/watch.md'

/** The port that docker-compose.yml publishes on this machine. */
const PROMETHEUS_URL = 'http://127.0.0.1:9090'

/** The time for Docker's DNS, a look-up and a scrape. */
const MAX_WAIT_MS = 60_000

const Targets = z.object({
  data: z.object({
    activeTargets: z.array(
      z.object({
        labels: z.object({ job: z.string() }),
        health: z.string(),
        lastError: z.string(),
      }),
    ),
  }),
})

const Rules = z.object({
  data: z.object({
    groups: z.array(
      z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) }),
    ),
  }),
})

/**
 * Starts Prometheus with the command of docs/operations/watch.md, waits until it reads every instance, and stops it.
 *
 * @throws Error if an instance is missing, or a rule cannot be evaluated
 */
export async function readMetricsOfAll({ stack }: World): Promise<string> {
  await stack.asDocumented(PAGE, 'prometheus')
  const expected = Object.entries(INSTANCES).map(([name, count]) => `personhood-${name} ${count}`)
  const counts = await awaitTargets(expected.sort())
  const { data } = Rules.parse(await read('/api/v1/rules'))
  const rules = data.groups.flatMap((group) => group.rules)
  const broken = rules.filter(({ health }) => health === 'err').map(({ name }) => name)
  expectThat(broken.length === 0, `Prometheus cannot evaluate ${broken.join(', ')}`)
  await stack.asDocumented(PAGE, 'stop-prometheus')
  return `${counts.join(', ')}; ${rules.length} alerts`
}

/** Waits until Prometheus reads exactly these numbers of instances, and can read each. */
async function awaitTargets(expected: readonly string[]): Promise<readonly string[]> {
  let counts: readonly string[] = []
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await sleep(1_000)) {
    const { data } = Targets.parse(await read('/api/v1/targets?state=active'))
    const healthy = data.activeTargets.filter(({ health }) => health === 'up')
    const byJob = Map.groupBy(healthy, ({ labels }) => labels.job)
    counts = [...byJob].map(([job, targets]) => `${job} ${targets.length}`).sort()
    const isComplete = healthy.length === data.activeTargets.length
    if (isComplete && counts.join() === expected.join()) return counts
  }
  throw new Error(`Prometheus must read ${expected.join(', ')}; got ${counts.join(', ') || 'none'}`)
}

async function read(path: string): Promise<unknown> {
  const response = await fetch(PROMETHEUS_URL + path)
  expectThat(response.ok, `Prometheus answered ${response.status} to ${path}`)
  return response.json()
}

import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { requireHasura } from '../../../packages/platform/parts/outside-hasura.ts'
import { exitOnSignals } from '../../../packages/platform/processes/exit-on-signals.ts'
import {
  readGivenHasura,
  startThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { markdownTable } from '../../../scripts/markdown-table.ts'
import { FAULTS_PAGE, replaceResults } from '../faults-page.ts'
import { PEOPLE_ROOT, waitUntilRecovered } from '../verify-people.ts'
import { type Cluster, startCluster } from './cluster.ts'
import {
  type Disturbance,
  FAULT_TITLES,
  type FaultResult,
  faultCells,
  judgeFault,
} from './disturbance.ts'
import { countUndelivered } from './event-delivery.ts'
import { parseFaultOptions } from './options.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { verifyDuringFault } from './verify-during-fault.ts'

/** Runs the faults of `npm run test:failover`, in the namespaces that failover.ts creates. */
const [root, ...args] = process.argv.slice(2)
const options = parseFaultOptions(args)
const givenHasura = readGivenHasura(process.env)

/** The load before the first fault. In production, faults hit programs that have run for long; just started ones are slower. */
const WARM_UP_MS = 30_000

exitOnSignals()
const cluster = await startCluster({
  root: requireValue(root, 'the folder of the Debian'),
  folder: temporaryFolder('machines-'),
  hasuraPassword:
    givenHasura.databaseUrl && decodeURIComponent(new URL(givenHasura.databaseUrl).password),
})
if (givenHasura.hasura) await waitForHasura(givenHasura.hasura)
const platform = await startThrowawayPlatform(undefined, { ...givenHasura, database: cluster.urls })
const target = { facts: platform.facts, root: PEOPLE_ROOT }
try {
  await publishRoot({ rpcUrl: target.facts.rpcUrl, group: 'staging', root: target.root })
  await waitUntilRecovered(target.facts.baseUrl, target.root)
  await verifyDuringFault(target, () => sleep(WARM_UP_MS))
  const results: FaultResult[] = []
  for (const [name, scenario] of Object.entries(scenarios))
    if (options.names.length === 0 || options.names.some((word) => name.includes(word)))
      results.push(await runFault(name, scenario))
  if (results.length === 0)
    throw new Error(
      `No fault has a title with ${options.names.join(' or ')}; docs/faults.md lists the titles.`,
    )
  const table = markdownTable(FAULT_TITLES, results.map(faultCells))
  console.info(`\n${table}`)
  if (options.write) writeResults(table, await cluster.versions())
  process.exitCode = results.every((fault) => judgeFault(fault) === 'held') ? 0 : 1
} finally {
  await platform.stop()
  await cluster.stop()
}
// Otherwise the connections that fetch keeps open would delay the end of this process.
process.exit()

async function runFault(
  name: string,
  { goalMs, causeFault: strike }: Scenario,
): Promise<FaultResult> {
  const disturbances: Disturbance[] = []
  const failures: string[] = []
  const recordFailure = (error: unknown) =>
    void failures.push(error instanceof Error ? error.message : String(error))
  for (let time = 1; time <= options.times && failures.length === 0; time++) {
    process.stdout.write(`${name}, ${time} of ${options.times} … `)
    try {
      await cluster.waitUntilHealthy()
      disturbances.push(await verifyDuringFault(target, () => causeAndRepair(cluster, strike)))
    } catch (error) {
      recordFailure(error)
    }
    const lastRun = { name, goalMs, disturbances: disturbances.slice(-1), undelivered: 0, failures }
    console.info(faultCells(lastRun).slice(3).join(' | '))
  }
  // Counts the undelivered events only after all runs, because a failed delivery is retried half a minute later.
  let undelivered = 0
  for (const { actions } of disturbances)
    undelivered += await countUndelivered(target.facts, actions).catch((error: unknown) => {
      recordFailure(error)
      return actions.length
    })
  return { name, goalMs, disturbances, undelivered, failures }
}

async function causeAndRepair(
  testedCluster: Cluster,
  strike: Scenario['causeFault'],
): Promise<void> {
  await strike(testedCluster)
  await testedCluster.waitUntilHealthy()
}

/** Waits until Hasura has connected to the database. */
async function waitForHasura(hasura: Parameters<typeof requireHasura>[0]): Promise<void> {
  const deadline = Date.now() + 300_000
  for (;;) {
    const error = await requireHasura(hasura).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (error === null) return
    if (Date.now() > deadline) throw error
    await sleep(500)
  }
}

function writeResults(table: string, versions: string): void {
  const day = new Date().toISOString().slice(0, 10)
  const heading = `Made on ${day} with ${versions}.`
  const page = readFileSync(FAULTS_PAGE, 'utf8')
  writeFileSync(FAULTS_PAGE, replaceResults(page, 'failover', `${heading}\n\n${table}`))
}

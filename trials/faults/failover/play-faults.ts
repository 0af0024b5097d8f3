import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '../../../lib/runtime/present.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { requireHasura } from '../../../packages/platform/parts/outside-hasura.ts'
import { exitOnSignals } from '../../../packages/platform/processes/exit-on-signals.ts'
import {
  readGivenHasura,
  startThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { markdownTable } from '../../../scripts/markdown-table.ts'
import { CROWD_ROOT, waitUntilRecovered } from '../crowd.ts'
import { FAULTS_PAGE, withTable } from '../faults-page.ts'
import { type Cluster, startCluster } from './cluster.ts'
import {
  type Disturbance,
  FAULT_TITLES,
  faultCells,
  judgeFault,
  type PlayedFault,
} from './disturbance.ts'
import { settleActions } from './event-delivery.ts'
import { parseFaultOptions } from './options.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { verifyThroughout } from './verify-throughout.ts'

/** The part of `npm run test:failover` that runs in namespaces of its own, which failover.ts makes. */
const [root, ...args] = process.argv.slice(2)
const options = parseFaultOptions(args)
const given = readGivenHasura(process.env)

/** Before the first fault: programs that have just started are slow, and faults come to those that have run for long. */
const WARM_UP_MS = 30_000

exitOnSignals()
const cluster = await startCluster({
  root: present(root, 'the folder of the Debian'),
  folder: temporaryFolder('machines-'),
  hasuraPassword: given.databaseUrl && decodeURIComponent(new URL(given.databaseUrl).password),
})
if (given.hasura) await waitForHasura(given.hasura)
const platform = await startThrowawayPlatform(undefined, { ...given, database: cluster.urls })
const scene = { facts: platform.facts, root: CROWD_ROOT }
try {
  await publishRoot({ rpcUrl: scene.facts.rpcUrl, group: 'staging', root: scene.root })
  await waitUntilRecovered(scene.facts.baseUrl, scene.root)
  await verifyThroughout(scene, () => sleep(WARM_UP_MS))
  const played: PlayedFault[] = []
  for (const [name, scenario] of Object.entries(scenarios))
    if (options.wanted.length === 0 || options.wanted.some((word) => name.includes(word)))
      played.push(await playFault(name, scenario))
  if (played.length === 0) throw new Error(`No fault is called ${options.wanted.join(', ')}.`)
  const table = markdownTable(FAULT_TITLES, played.map(faultCells))
  console.info(`\n${table}`)
  if (options.write) writeResults(table, await cluster.versions())
  process.exitCode = played.every((fault) => judgeFault(fault) === 'held') ? 0 : 1
} finally {
  await platform.stop()
  await cluster.stop()
}
// What remains are connections that were kept open.
process.exit()

async function playFault(name: string, { goalMs, strike }: Scenario): Promise<PlayedFault> {
  const disturbances: Disturbance[] = []
  const failures: string[] = []
  const tell = (error: unknown) =>
    void failures.push(error instanceof Error ? error.message : String(error))
  for (let time = 1; time <= options.times && failures.length === 0; time++) {
    process.stdout.write(`${name}, ${time} of ${options.times} … `)
    try {
      await cluster.waitUntilWhole()
      disturbances.push(await verifyThroughout(scene, () => breakAndMend(cluster, strike)))
    } catch (error) {
      tell(error)
    }
    const last = { name, goalMs, disturbances: disturbances.slice(-1), undelivered: 0, failures }
    console.info(faultCells(last).slice(3).join(' | '))
  }
  // Once all times are over, since an event whose delivery failed is delivered again half a minute later.
  let undelivered = 0
  for (const { actions } of disturbances)
    undelivered += await settleActions(scene.facts, actions).catch((error: unknown) => {
      tell(error)
      return actions.length
    })
  return { name, goalMs, disturbances, undelivered, failures }
}

async function breakAndMend(broken: Cluster, strike: Scenario['strike']): Promise<void> {
  await strike(broken)
  await broken.waitUntilWhole()
}

/** It connects to the database when there is one. */
async function waitForHasura(hasura: Parameters<typeof requireHasura>[0]): Promise<void> {
  const deadline = Date.now() + 300_000
  for (;;) {
    const missing = await requireHasura(hasura).then(
      () => null,
      (error: unknown) => error,
    )
    if (missing === null) return
    if (Date.now() > deadline) throw missing
    await sleep(500)
  }
}

function writeResults(table: string, versions: string): void {
  const day = new Date().toISOString().slice(0, 10)
  const heading = `Made on ${day} with ${versions}.`
  const page = readFileSync(FAULTS_PAGE, 'utf8')
  writeFileSync(FAULTS_PAGE, withTable(page, 'failover', `${heading}\n\n${table}`))
}

import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { startThrowawayPlatform } from '../../packages/platform/testing/throwaway.ts'
import { markdownTable } from '../../scripts/markdown-table.ts'
import { CROWD_ROOT, type Outcome, waitUntilRecovered } from './crowd.ts'
import { FAULTS_PAGE, withTable } from './faults-page.ts'
import { faultyPostgres } from './faulty-postgres.ts'
import { endRestarted } from './restartable-process.ts'
import { scenarios } from './scenarios.ts'
import type { Scenario, Scene } from './scene.ts'

/** `npm run test:faults [-- name … --write]`: a platform of its own, broken in every way known here. */
const { positionals: wanted, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.info(`Usage: npm run test:faults [-- NAME … --write]
  --write  writes the results into docs/faults.md
  NAME     a word in the title of a row of docs/faults.md; all rows by default`)
  process.exit()
}

/** The only answers allowed during a fault: success, "try again later", or none at all. */
const RIGHT = new Set(['200', '201', '503 unavailable', 'broken', 'closed'])

type Row = { name: string; outcome: Outcome | null; verdict: string }

exitOnSignals()
let over = false
// A part that is killed ends "by itself", which is intended here.
const platform = await startThrowawayPlatform(() => {
  if (over) console.error('a part ended while the platform was being ended')
})
const postgres = faultyPostgres(platform)
try {
  const { facts } = platform
  await publishRoot({ rpcUrl: facts.rpcUrl, group: 'staging', root: CROWD_ROOT })
  await waitUntilRecovered(facts.baseUrl, CROWD_ROOT)
  const rows: Row[] = []
  for (const [name, scenario] of Object.entries(scenarios(postgres)))
    if (wanted.length === 0 || wanted.some((word) => name.includes(word)))
      rows.push(
        await playScenario(name, scenario, { facts, folder: platform.folder, root: CROWD_ROOT }),
      )
  if (rows.length === 0) throw new Error(`No fault is called ${wanted.join(', ')}.`)
  const table = outcomeTable(rows)
  console.info(`\n${table}`)
  if (options.write)
    writeFileSync(FAULTS_PAGE, withTable(readFileSync(FAULTS_PAGE, 'utf8'), 'faults', table))
  process.exitCode = rows.every(({ verdict }) => verdict === 'held') ? 0 : 1
} finally {
  over = true
  endRestarted()
  await postgres.stop()
  await platform.stop()
}

async function playScenario(name: string, scenario: Scenario, scene: Scene): Promise<Row> {
  process.stdout.write(`${name} … `)
  try {
    const outcome = await scenario(scene)
    const verdict = judgeOutcome(outcome)
    console.info(verdict)
    return { name, outcome, verdict }
  } catch (error) {
    const verdict = error instanceof Error ? error.message : String(error)
    console.info(verdict)
    return { name, outcome: null, verdict }
  }
}

function judgeOutcome({ answers, lost, countedTwice }: Outcome): string {
  const wrong = [...answers.keys()].filter((answer) => !RIGHT.has(answer))
  if (lost > 0) return `${lost} lost`
  if (countedTwice > 0) return `${countedTwice} counted twice`
  if (wrong.length > 0) return `callers got ${wrong.join(', ')}`
  return 'held'
}

function outcomeTable(rows: readonly Row[]): string {
  const head = [
    'fault',
    'people',
    'responses',
    'recovery',
    'lost',
    'counted twice',
    'verdict',
  ]
  const lines = rows.map(({ name, outcome, verdict }) => {
    if (!outcome) return [name, '', '', '', '', '', verdict]
    const told = [...outcome.answers].map(([answer, n]) => `${answer}: ${n}`).join(', ')
    const { people, recoveryMs, lost, countedTwice } = outcome
    const recovery = `${(recoveryMs / 1_000).toFixed(1)} s`
    return [name, `${people}`, told, recovery, `${lost}`, `${countedTwice}`, verdict]
  })
  return markdownTable(head, lines)
}

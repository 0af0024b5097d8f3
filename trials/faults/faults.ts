import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { startThrowawayPlatform } from '../../packages/platform/testing/throwaway.ts'
import { markdownTable } from '../../scripts/markdown-table.ts'
import { FAULTS_PAGE, replaceResults } from './faults-page.ts'
import { createFaultyPostgres } from './faulty-postgres.ts'
import { endRestartedProcesses } from './restartable-process.ts'
import type { Scenario, TestedPlatform } from './scenario.ts'
import { createScenarios } from './scenarios.ts'
import { type Outcome, PEOPLE_ROOT, waitUntilRecovered } from './verify-people.ts'

/**
 * `npm run test:faults [-- NAME … --write]`: starts a platform and causes every fault of scenarios.ts, or the faults with a NAME in
 * their title.
 */
const { positionals: names, values: options } = parseArgs({
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

/** The only answers allowed during a fault: success, "try again later", or no response. */
const ALLOWED_ANSWERS = new Set(['200', '201', '503 unavailable', 'broken', 'closed'])

type Row = { name: string; outcome: Outcome | null; verdict: string }

exitOnSignals()
let isStopping = false
// The scenarios kill parts, so only a part that ends during the stop is reported.
const platform = await startThrowawayPlatform(() => {
  if (isStopping) console.error('a part ended unexpectedly while the platform was stopping')
})
const postgres = createFaultyPostgres(platform)
try {
  const { facts } = platform
  await publishRoot({ rpcUrl: facts.rpcUrl, group: 'staging', root: PEOPLE_ROOT })
  await waitUntilRecovered(facts.baseUrl, PEOPLE_ROOT)
  const rows: Row[] = []
  for (const [name, scenario] of Object.entries(createScenarios(postgres)))
    if (names.length === 0 || names.some((word) => name.includes(word)))
      rows.push(
        await runScenario(name, scenario, { facts, folder: platform.folder, root: PEOPLE_ROOT }),
      )
  if (rows.length === 0)
    throw new Error(
      `No fault has a title with ${names.join(' or ')}; docs/faults.md lists the titles.`,
    )
  const table = createOutcomeTable(rows)
  console.info(`\n${table}`)
  if (options.write)
    writeFileSync(FAULTS_PAGE, replaceResults(readFileSync(FAULTS_PAGE, 'utf8'), 'faults', table))
  process.exitCode = rows.every(({ verdict }) => verdict === 'held') ? 0 : 1
} finally {
  isStopping = true
  endRestartedProcesses()
  await postgres.stop()
  await platform.stop()
}

async function runScenario(name: string, scenario: Scenario, scene: TestedPlatform): Promise<Row> {
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
  const wrong = [...answers.keys()].filter((answer) => !ALLOWED_ANSWERS.has(answer))
  if (lost > 0) return `${lost} lost`
  if (countedTwice > 0) return `${countedTwice} counted twice`
  if (wrong.length > 0) return `callers got ${wrong.join(', ')}`
  return 'held'
}

function createOutcomeTable(rows: readonly Row[]): string {
  const head = ['fault', 'people', 'responses', 'recovery', 'lost', 'counted twice', 'verdict']
  const lines = rows.map(({ name, outcome, verdict }) => {
    if (!outcome) return [name, '', '', '', '', '', verdict]
    const answerCounts = [...outcome.answers].map(([answer, n]) => `${answer}: ${n}`).join(', ')
    const { people, recoveryMs, lost, countedTwice } = outcome
    const recovery = `${(recoveryMs / 1_000).toFixed(1)} s`
    return [name, `${people}`, answerCounts, recovery, `${lost}`, `${countedTwice}`, verdict]
  })
  return markdownTable(head, lines)
}

import { readFileSync, writeFileSync } from 'node:fs'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { findProjects } from './find-projects.ts'
import { HELP, type Options, readProjectsOptions } from './options.ts'
import { lossesOf, type Outcome, resultOf } from './report/outcome.ts'
import { formatLine, replaceRows } from './report/projects-page.ts'
import { runProject } from './run-project.ts'

/** `npm run test:projects`: see `--help`. */
const PAGE = 'packages/engine/docs/public-projects.md'

try {
  exitOnSignals()
  const options = readProjectsOptions(process.argv.slice(2))
  if (options.help) console.info(HELP)
  else process.exitCode = (await run(options)) ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

/** @returns true if each project that can be built is served whole */
async function run({ folders, databaseUrl, write }: Options): Promise<boolean> {
  const outcomes: Outcome[] = []
  const checkouts = folders.map((folder) => ({ folder, projects: findProjects(folder) }))
  for (const { folder, projects } of checkouts)
    if (projects.length === 0) console.info(`${folder} has no Hasura project of config v3`)
  for (const project of checkouts.flatMap(({ projects }) => projects)) {
    const outcome = await runProject(project, databaseUrl)
    outcomes.push(outcome)
    console.info(formatLine(outcome))
    for (const line of details(outcome)) console.info(`  ${line}`)
    if (write) writeFileSync(PAGE, replaceRows(readFileSync(PAGE, 'utf8'), outcomes, new Date()))
  }
  return outcomes.every((outcome) => /whole|cannot|empty/.test(resultOf(outcome)))
}

/** Lists every loss, with a query that shows it. */
function details(outcome: Outcome): string[] {
  if ('failure' in outcome) return outcome.failure.split('\n')
  const queries = new Map(outcome.roles.flatMap(({ faults }) => [...faults]))
  const projectFaults = outcome.unserved.filter(({ isProjectFault }) => isProjectFault)
  return [
    ...lossesOf(outcome).map((loss) => `${loss} ${(queries.get(loss) ?? '').replace(/\s+/g, ' ')}`),
    ...projectFaults.map(({ name, reason }) => `${name} (the project's fault): ${reason}`),
    ...(outcome.exportChanges === '' ? [] : outcome.exportChanges.split('\n')),
    ...(outcome.failedSeed === null ? [] : [outcome.failedSeed]),
  ]
}

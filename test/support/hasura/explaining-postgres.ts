import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'

/** One step of an executed plan that reads a table or inserts into one. */
export type Scan = {
  /** The name of the step in PostgreSQL's plan, or `Insert`. */
  kind: string
  table: string
  /** The number of rows read, including rows that did not match. */
  rows: number
  /**
   * The condition of an index, or of the rows that an insert reads; empty for a scan of the whole
   * table.
   */
  condition: string
  /** The values of `$1` and so on, if PostgreSQL logs them. */
  parameters: ReadonlyMap<string, string>
  statement: string
}

type Plan = z.infer<typeof Plan>

const Plan = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Parent Relationship': z.string().optional(),
  Operation: z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Index Cond': z.string().optional(),
  'Recheck Cond': z.string().optional(),
  'Rows Removed by Filter': z.number().optional(),
  'Rows Removed by Index Recheck': z.number().optional(),
  get Plans() {
    return z.array(Plan).optional()
  },
})

const LogLine = z.object({ message: z.string() })
const PlanLog = z.object({
  'Query Text': z.string(),
  'Query Parameters': z.string().default(''),
  Plan,
})

type ExecutedStatement = Pick<Scan, 'statement' | 'parameters'>

const SETTINGS = [
  'logging_collector=on',
  'log_destination=jsonlog',
  'log_directory=log',
  'log_filename=server.log',
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_nested_statements=on',
  'auto_explain.log_format=json',
  'enable_seqscan=off',
  'autovacuum=off',
  'fsync=off',
  'synchronous_commit=off',
]

/**
 * Starts a PostgreSQL that logs the plan of every statement it executes, also of statements in functions and of foreign
 * key checks. It scans a table sequentially only where no index can be used.
 */
export async function startExplainingPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'explaining-postgres-'))
  const log = join(folder, 'log', 'server.json')
  const postgres = await startPostgres({
    folder,
    port: await freePort(),
    settings: SETTINGS,
  })
  const client = new Client(postgres.url)
  await client.connect()
  let marks = 0
  let read = 0
  return {
    url: postgres.url,
    query: client.query.bind(client),
    /** Returns the scans of all connections since the last call. */
    async scans(): Promise<Scan[]> {
      const mark = `mark ${++marks}`
      await client.query(`select '${mark}'`)
      for (;;) {
        const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
        const at = text.indexOf(`'${mark}'`, read)
        if (at >= 0 && text.endsWith('\n')) {
          const lines = text.slice(read).trim().split('\n')
          read = text.length
          return lines.flatMap(scansInLogLine)
        }
        await pause(10)
      }
    },
    async stop() {
      await client.end()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function scansInLogLine(line: string): Scan[] {
  const { message } = LogLine.parse(JSON.parse(line))
  const [, json] = /^duration: .* plan:\n(.*)$/s.exec(message) ?? []
  if (!json) return []
  const { Plan: plan, ...explained } = PlanLog.parse(JSON.parse(json))
  const values = explained['Query Parameters'].matchAll(/(\$\d+) = '((?:[^']|'')*)'/g)
  const parameters = new Map([...values].map(([, name = '', value = '']) => [name, value]))
  return scansInPlan(plan, { statement: explained['Query Text'], parameters })
}

function scansInPlan(plan: Plan, statement: ExecutedStatement): Scan[] {
  const { 'Node Type': kind, 'Relation Name': table, Plans: plans = [] } = plan
  const below = plans.flatMap((each) => scansInPlan(each, statement))
  if (table === undefined) return below
  if (plan.Operation === 'Insert') {
    const sources = plans.filter((each) => each['Parent Relationship'] === 'Outer')
    const read = sources.flatMap((each) => scansInPlan(each, statement))
    const condition = read.map((scan) => scan.condition).join(' AND ')
    return [{ kind: 'Insert', table, rows: 0, condition, ...statement }, ...below]
  }
  if (!kind.endsWith('Scan')) return below
  const dropped = plan['Rows Removed by Filter'] ?? plan['Rows Removed by Index Recheck'] ?? 0
  const rows = (plan['Actual Rows'] + dropped) * plan['Actual Loops']
  const condition = plan['Index Cond'] ?? plan['Recheck Cond'] ?? ''
  return [{ kind, table, rows, condition, ...statement }, ...below]
}

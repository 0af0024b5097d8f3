import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { startPostgres } from '../../../lib/postgres/embedded-postgres.ts'
import { freePort } from '../../../lib/process/free-port.ts'

/** One step of an executed plan that reads a table. */
export type Scan = {
  kind: string
  table: string
  /** Rows that were read, whether they matched or not. */
  rows: number
  /** What an index was asked for; empty when all of it was read. */
  condition: string
  statement: string
}

type Plan = z.infer<typeof Plan>

const Plan = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
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

const Logged = z.object({ message: z.string() })
const Explained = z.object({ 'Query Text': z.string(), Plan })

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
    password: 'test',
    settings: SETTINGS,
  })
  const client = new Client(postgres.url)
  await client.connect()
  let marks = 0
  let read = 0
  return {
    url: postgres.url,
    query: client.query.bind(client),
    /** The scans since the last call, of all connections. */
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
  const { message } = Logged.parse(JSON.parse(line))
  const [, json] = /^duration: .* plan:\n(.*)$/s.exec(message) ?? []
  if (!json) return []
  const { 'Query Text': statement, Plan: plan } = Explained.parse(JSON.parse(json))
  return scansInPlan(plan, statement)
}

function scansInPlan(plan: Plan, statement: string): Scan[] {
  const { 'Node Type': kind, 'Relation Name': table } = plan
  const dropped = plan['Rows Removed by Filter'] ?? plan['Rows Removed by Index Recheck'] ?? 0
  const rows = (plan['Actual Rows'] + dropped) * plan['Actual Loops']
  const below = (plan.Plans ?? []).flatMap((each) => scansInPlan(each, statement))
  const isScan = table !== undefined && kind.endsWith('Scan')
  const condition = plan['Index Cond'] ?? plan['Recheck Cond'] ?? ''
  return isScan ? [{ kind, table, rows, condition, statement }, ...below] : below
}

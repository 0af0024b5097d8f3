import type { Variables } from '../../compiler/plan/decision.ts'
import { ISOLATION_IN_SQL, type IsolationLevel } from '../../config/answer-settings.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import { validateInput } from '../actions/validate-input.ts'
import { type PreparedStatement, runStatements } from '../database/execute.ts'
import type { Batch, PrintedPlan } from '../database/printed-plan.ts'
import type { Columns } from '../database/round-trip.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import { traceStatement } from './trace-context.ts'

/** The variables, session, client and connections of a running plan. */
export type RunContext = {
  variables: Variables
  session: Session
  client: Client
  connectionsTo: ConnectionsTo
}

/** Runs the plan's statements. Returns the columns of each statement's row. */
export async function runPlan(
  engine: Engine,
  plan: PrintedPlan,
  runContext: RunContext,
): Promise<readonly Columns[]> {
  if (plan.kind === 'mutation') return changeRows(engine, plan, runContext)
  const [batch, second] = plan.batches
  if (second) return readSources(plan.batches, runContext)
  return batch ? readSource(batch, runContext) : []
}

async function changeRows(
  { schemaCache, config }: Engine,
  { batches: [batch], requiredSessionVariables, validations }: PrintedPlan,
  { variables, session, client, connectionsTo }: RunContext,
): Promise<readonly Columns[]> {
  const bindings = { variables, session }
  for (const { read } of requiredSessionVariables) read(bindings)
  for (const validation of validations)
    await validateInput(validation, { variables, session, client, config })
  if (!batch || batch.statements.length === 0) return []
  const { pool } = connectionsTo(batch.source)
  const { metadata, source } = schemaCache()
  const trace = traceStatement(client.headers, metadata)
  const first = [...isolate(source(batch.source).isolation), ...(trace === null ? [] : [trace])]
  const rows = await runStatements(pool, [...first, ...batch.statements], bindings, client)
  return first.length === 0 ? rows : rows.slice(first.length)
}

/** Returns the statement that sets the transaction's isolation; none for read committed, PostgreSQL's default. */
function isolate(isolation: IsolationLevel): PreparedStatement[] {
  if (isolation === 'read-committed') return []
  const text = `set transaction isolation level ${ISOLATION_IN_SQL[isolation]}`
  return [{ name: null, text, parameters: [], path: '$' }]
}

/** Reads several sources in parallel. If several sources fail, throws the error of the source that is first in the document. */
async function readSources(
  batches: readonly Batch[],
  runContext: RunContext,
): Promise<readonly Columns[]> {
  const reads = batches.map((batch) => readSource(batch, runContext))
  await Promise.allSettled(reads)
  const rows: Columns[] = []
  for (const read of reads) rows.push(...(await read))
  return rows
}

async function readSource(
  { source, statements: [statement] }: Batch,
  { variables, session, client, connectionsTo }: RunContext,
): Promise<readonly Columns[]> {
  return statement ? connectionsTo(source).read(statement, { variables, session }, client) : []
}

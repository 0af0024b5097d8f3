import { validateInput } from '../actions/validate-input.ts'
import { runStatements } from '../database/execute.ts'
import type { PrintedPlan } from '../database/printed-plan.ts'
import type { Columns } from '../database/round-trip.ts'
import type { Connections } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import type { Variables } from '../plan/document/decision.ts'
import type { Client } from '../request/client.ts'
import type { Session } from '../session/session.ts'
import { traceStatement } from './trace-context.ts'

/** What a plan is run with, and for whom. */
export type Running = {
  variables: Variables
  session: Session
  client: Client
  connections: Connections
}

/** Runs the plan's statements; the result has the columns of each one's row. */
export async function runPlan(
  { schemaCache, config }: Engine,
  plan: PrintedPlan,
  { variables, session, client, connections }: Running,
): Promise<readonly Columns[]> {
  const { pool, read } = connections
  const bindings = { variables, session }
  if (plan.kind === 'mutation') {
    for (const { read } of plan.needs) read(bindings)
    for (const validation of plan.validations)
      await validateInput(validation, { variables, session, client, config })
    if (plan.statements.length === 0) return []
    const trace = traceStatement(client.headers, schemaCache().metadata)
    if (trace === null) return runStatements(pool, plan.statements, bindings, client)
    return (await runStatements(pool, [trace, ...plan.statements], bindings, client)).slice(1)
  }
  const [statement] = plan.statements
  return statement ? read(statement, bindings, client) : []
}

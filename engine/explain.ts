import type { Engine } from './engine.ts'
import { EngineError } from './errors.ts'
import { fill } from './execute.ts'
import { readOperation } from './plan/document.ts'
import type { Bindings } from './plan/ir.ts'
import { type PlanPart, planOperation } from './plan/plan.ts'
import { completeVariables } from './plan/variables.ts'
import { translate } from './postgres-errors.ts'
import type { GraphQLRequest } from './request.ts'
import type { Session } from './session/session.ts'
import { selectStatement } from './sql/statement.ts'

/** What a root field asks the database and how that answers, line by line; null for one that asks nothing. */
export type Explained = { field: string; sql: string | null; plan: string[] | null }

/**
 * How the database would answer a query to this session; nothing is run.
 *
 * @throws invalid-params for all but queries of the database, and what is wrong with the request
 */
export async function explain(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
): Promise<Explained[]> {
  const operation = readOperation(request.query, request.operationName, engine.config)
  if (operation.node.operation !== 'query')
    throw new EngineError('invalid-params', 'only queries can be explained')
  const variables = completeVariables(operation, request.variables)
  const { schema } = engine.snapshot().role(session)
  const explained: Explained[] = []
  for (const part of planOperation(schema, operation, variables).parts)
    explained.push(await explainPart(engine, part, { variables, session }))
  return explained
}

async function explainPart(
  { pool }: Engine,
  part: PlanPart,
  bindings: Bindings,
): Promise<Explained> {
  if (part.is === 'action')
    throw new EngineError('invalid-params', 'query actions cannot be explained')
  if (part.is !== 'database' || part.root.kind !== 'select')
    return { field: part.as, sql: null, plan: null }
  const statement = selectStatement([part.root.shape])
  const filled = fill({ ...statement, name: null, path: part.faultPath }, bindings)
  const text = `explain (format text) ${statement.text}`
  const { rows } = await pool
    .query<[string]>({ text, values: filled.values, rowMode: 'array' })
    .catch((cause: unknown) => {
      throw translate(cause, filled)
    })
  return { field: part.as, sql: statement.text, plan: rows.map(([line]) => line) }
}

import type { Pool } from 'pg'
import type { Bindings } from '../../compiler/ir/ir.ts'
import { readOperation } from '../../compiler/plan/document/operation.ts'
import { dropsUnbound, withoutUnbound } from '../../compiler/plan/document/unbound-variables.ts'
import { completeVariables } from '../../compiler/plan/document/variables.ts'
import { type Plan, type PlanPart, planOperation } from '../../compiler/plan/plan.ts'
import { finish } from '../../compiler/plan/steps.ts'
import { shapeStatement } from '../../compiler/sql/statement.ts'
import { EngineError } from '../../errors.ts'
import type { Session } from '../../session/session.ts'
import { boundsOf } from '../callers/bounds.ts'
import { fillStatement } from '../database/execute.ts'
import { translatePostgresError } from '../database/postgres-errors.ts'
import { printPlan } from '../database/printed-plan.ts'
import type { Engine } from '../engine.ts'
import type { GraphQLRequest } from '../graphql-request.ts'

/** A root field's SQL, and the lines of PostgreSQL's plan; null for a field without SQL. */
export type FieldExplanation = { field: string; sql: string | null; plan: string[] | null }

/** The statement for all subscribers, its plan, and the values of this subscriber. */
export type SubscriptionExplanation = {
  sql: string
  plan: string[]
  /** All values are in `synthetic`, by position. Hasura divides them by origin. */
  variables: { session: object; query: object; synthetic: (string | null)[]; cursor: object }
}

/**
 * Explains a query or subscription of this session, without running it.
 *
 * @throws invalid-params for mutations and for actions in queries, not-supported for subscriptions to actions, and the errors
 * of a wrong request
 */
export async function explainOperation(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
): Promise<FieldExplanation[] | SubscriptionExplanation> {
  const bounds = boundsOf(session, engine.config)
  const wholeOperation = readOperation(request.query, request.operationName, bounds)
  const operation = dropsUnbound(engine.config)
    ? withoutUnbound(wholeOperation, request.variables)
    : wholeOperation
  const kind = operation.node.operation
  if (kind === 'mutation') throw new EngineError('invalid-params', 'only queries can be explained')
  const variables = completeVariables(operation, request.variables, engine.config)
  const { schema } = engine.schemaCache().role(session, request.api)
  if (kind === 'subscription' && !schema.subscription)
    throw new EngineError('not-found', 'no subscriptions found', { status: 400 })
  const { maxSubqueries } = bounds
  const inputs = { variables, sentVariables: request.variables, maxSubqueries }
  const plan = finish(planOperation(schema, operation, inputs))
  const bindings = { variables, session }
  if (kind === 'subscription') return explainSubscription(engine, plan, bindings)
  const explanations: FieldExplanation[] = []
  for (const part of plan.parts) explanations.push(await explainPart(engine, part, bindings))
  return explanations
}

async function explainSubscription(
  { sourcePool }: Engine,
  plan: Plan,
  bindings: Bindings,
): Promise<SubscriptionExplanation> {
  const { live } = finish(printPlan(plan))
  if (!live) {
    const explainedFields = 'async action query fields without relationships to table'
    throw new EngineError('not-supported', `${explainedFields} cannot be explained`)
  }
  const values = live.parameters.map(({ read }) => read(bindings))
  const subscriber = { text: live.text, values: [[0], [JSON.stringify(values)]], path: '$' }
  return {
    sql: live.text,
    plan: await planLines(sourcePool(live.source), subscriber),
    variables: { session: {}, query: {}, synthetic: values, cursor: {} },
  }
}

async function explainPart(
  { sourcePool }: Engine,
  part: PlanPart,
  bindings: Bindings,
): Promise<FieldExplanation> {
  if (part.kind === 'action')
    throw new EngineError('invalid-params', 'query actions cannot be explained')
  if (part.kind !== 'database' || part.root.kind !== 'select')
    return { field: part.as, sql: null, plan: null }
  const statement = shapeStatement(part.root.shape)
  const boundStatement = fillStatement({ ...statement, name: null, path: part.faultPath }, bindings)
  return {
    field: part.as,
    sql: statement.text,
    plan: await planLines(sourcePool(part.source), boundStatement),
  }
}

type Explainable = { text: string; values: readonly unknown[]; path: string }

async function planLines(pool: Pool, { text, values, path }: Explainable): Promise<string[]> {
  const { rows } = await pool
    .query<[string]>({
      text: `explain (format text) ${text}`,
      values: [...values],
      rowMode: 'array',
    })
    .catch((cause: unknown) => {
      throw translatePostgresError(cause, { text, values: [], path })
    })
  return rows.map(([line]) => line)
}

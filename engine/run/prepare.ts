import { type PrintedPlan, printPlan, unpreparedPlan } from '../database/printed-plan.ts'
import type { Engine } from '../engine.ts'
import { decisionHolds, type Variables } from '../plan/document/decision.ts'
import { type Operation, readOperation } from '../plan/document/operation.ts'
import { completeVariables } from '../plan/document/variables.ts'
import { planOperation } from '../plan/plan.ts'
import type { GraphQLRequest } from '../request/graphql-request.ts'
import type { CachedOperation, RoleCache } from '../schema-cache.ts'
import type { Session } from '../session/session.ts'
import { checkAllowed } from './allow-list.ts'

/** An operation that is ready to run, with the variables that it runs with. */
export type PreparedOperation = {
  plan: PrintedPlan
  operation: Operation
  variables: Variables
  role: RoleCache
}

/**
 * Finds the plan for a request among the cached ones, or makes one.
 *
 * @throws EngineError for what is wrong with the document or the variables
 */
export function prepareOperation(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
): PreparedOperation {
  const snapshot = engine.schemaCache()
  if (engine.config.enableAllowlist) checkAllowed(snapshot.metadata, request.query, session)
  const role = snapshot.role(session)
  const cached = cachedOperation(engine, role, request)
  const variables = completeVariables(cached.operation, request.variables)
  const plan = cachedPlan(engine, role, cached, { request, variables })
  return { plan, operation: cached.operation, variables, role }
}

function cachedOperation(
  { config }: Engine,
  role: RoleCache,
  { query: text, operationName }: GraphQLRequest,
): CachedOperation {
  const key = `${operationName ?? ''}\n${text}`
  const known = role.operations.get(key)
  if (known) return known
  const fresh = { operation: readOperation(text, operationName, config), plans: [] }
  role.operations.set(key, fresh)
  return fresh
}

/**
 * How many plans of one operation are cached:
 * there is one for each set of decisions that its variables give.
 */
const MAX_PLANS = 20

type Asked = { request: GraphQLRequest; variables: Variables }

function cachedPlan(
  { config }: Engine,
  role: RoleCache,
  cached: CachedOperation,
  { request, variables }: Asked,
): PrintedPlan {
  const known = cached.plans.find(({ decisions }) =>
    decisions.every((d) => decisionHolds(d, variables)),
  )
  if (known) return known
  const plan = printPlan(planOperation(role.schema, cached.operation, variables))
  const fresh = config.usePreparedStatements ? plan : unpreparedPlan(plan)
  const key = `${request.operationName ?? ''}\n${request.query}`
  role.operations.set(key, { ...cached, plans: [fresh, ...cached.plans.slice(0, MAX_PLANS - 1)] })
  return unpreparedPlan(fresh)
}

import { boundsOf } from '../callers/bounds.ts'
import { type PrintedPlan, printPlan, unpreparedPlan } from '../database/printed-plan.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import { decisionHolds, type Variables } from '../plan/document/decision.ts'
import { type Operation, readOperation } from '../plan/document/operation.ts'
import { checkLength, checkUses, checkValues } from '../plan/document/operation-size.ts'
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
  /** The name that the request gives its operation. */
  operationName: string | null
  variables: Variables
  role: RoleCache
  /** The session's connections to the databases that the plan is for. */
  connectionsTo: ConnectionsTo
  /** Caches a plan that was made for this request; null for one that was cached. */
  keep: (() => void) | null
  /** Whether the plan is cached and was quick each time, so that its cost need not be estimated for other values. */
  isProven: boolean
  /** Notes that it was slow with these values. */
  noteSlow(): void
  /** Reads all values of the request in the document's order. @throws EngineError for the first that is wrong */
  check(): void
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
  const bounds = boundsOf(session, engine.config)
  checkLength(request.query, bounds)
  checkValues(request.variables, bounds)
  if (engine.config.enableAllowlist) checkAllowed(snapshot.metadata, request.query, session)
  const operations = snapshot.operations(session)
  const key = cacheKey(request, session)
  const cached = operations.get(key)
  const operation = cached?.operation ?? readOperation(request.query, request.operationName, bounds)
  const variables = completeVariables(operation, request.variables)
  checkUses(operation.uses, variables, bounds)
  const role = snapshot.role(session, request.api)
  const known = cached && findPlan(cached, variables)
  const { maxSubqueries } = bounds
  const given = { variables, sent: request.variables, maxSubqueries }
  const makePlan = () => planOperation(role.schema, operation, given)
  const connectionsTo = (source: string) => snapshot.connections(source, session)
  const { operationName } = request
  const found = {
    operation,
    operationName,
    variables,
    role,
    connectionsTo,
    noteSlow,
    check: makePlan,
  }
  if (known) return { ...found, plan: known, keep: null, isProven: cached?.isSlow === false }
  const plan = printPlan(makePlan())
  return {
    ...found,
    plan: unpreparedPlan(plan),
    isProven: false,
    keep() {
      const fresh = engine.config.usePreparedStatements ? plan : unpreparedPlan(plan)
      const { plans: others = [], isSlow = false } = operations.get(key) ?? {}
      const plans = [fresh, ...others.slice(0, MAX_PLANS - 1)]
      operations.set(key, { operation, plans, isSlow })
    },
  }

  function noteSlow() {
    const slow = operations.get(key)
    if (slow) operations.set(key, { ...slow, isSlow: true })
  }
}

/** Roles have schemas of their own in each API, so the same document means something else for each. */
function cacheKey(
  { api, query, operationName }: GraphQLRequest,
  { role, backendOnly }: Session,
): string {
  return `${api} ${role}\n${backendOnly ? 'backend' : ''}\n${operationName ?? ''}\n${query}`
}

/**
 * How many plans of one operation are cached:
 * there is one for each set of decisions that its variables give.
 */
const MAX_PLANS = 20

function findPlan({ plans }: CachedOperation, variables: Variables): PrintedPlan | undefined {
  return plans.find(({ decisions }) => decisions.every((d) => decisionHolds(d, variables)))
}

import type { DocumentBounds } from '../../../../lib/runtime/graphql/document-size.ts'
import { decisionHolds, type Variables } from '../../compiler/plan/decision.ts'
import { type Operation, readOperation } from '../../compiler/plan/document/operation.ts'
import { checkLength, checkUses, checkValues } from '../../compiler/plan/document/operation-size.ts'
import { dropsUnbound, withoutUnbound } from '../../compiler/plan/document/unbound-variables.ts'
import { completeVariables } from '../../compiler/plan/document/variables.ts'
import { planOperation } from '../../compiler/plan/plan.ts'
import type { Config } from '../../config/config.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import { boundsOf } from '../callers/bounds.ts'
import { computeInSlices } from '../callers/compute-in-slices.ts'
import { type PrintedPlan, printPlan, unpreparedPlan } from '../database/printed-plan.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import type { GraphQLRequest } from '../graphql-request.ts'
import type { CachedOperation, RoleCache, SchemaCache } from '../schema-cache.ts'
import { checkAllowed } from './allow-list.ts'

/** An operation that is ready to run, with its variables. */
export type PreparedOperation = {
  plan: PrintedPlan
  operation: Operation
  /** The name of the operation in the request. */
  operationName: string | null
  variables: Variables
  role: RoleCache
  /** Returns the session's connections to a source's database. */
  connectionsTo: ConnectionsTo
  /** Caches a new plan; null for a cached plan. */
  cachePlan: (() => void) | null
  /** True if the plan is cached and was always quick, so that its cost need not be estimated for other values. */
  isProven: boolean
  /** Records that the operation was slow with these values. */
  markSlow(): void
  /** Reads all values of the request in the document's order. @throws EngineError for the first wrong value */
  check(): Promise<unknown>
}

/**
 * Finds a cached plan for a request, or creates one. Reading, planning and printing each wait for the event loop, because each can
 * take milliseconds for a large document.
 *
 * @throws EngineError for a wrong document or wrong variables; timeout if the client disconnects
 */
export async function prepareOperation(
  engine: Engine,
  request: GraphQLRequest,
  { session, client }: { session: Session; client: Client },
): Promise<PreparedOperation> {
  const { admission, config } = engine
  const compute = <T>(work: () => T) => admission.compute(session, client.signal, work)
  const snapshot = engine.schemaCache()
  const operations = snapshot.operations(session)
  const key = cacheKey(request, session, config)
  const { operation, variables, role, cachedPlan, makePlan } = await compute(() => {
    const bounds = boundsOf(session, config)
    const cached = operations.get(key)
    return readRequest(request, { snapshot, session, bounds, cached, config })
  })
  const common = {
    operation,
    operationName: request.operationName,
    variables,
    role,
    connectionsTo: (source: string) => snapshot.connections(source, session),
    markSlow,
    check: () => computeInSlices(compute, makePlan),
  }
  if (cachedPlan) return { ...common, ...cachedPlan, cachePlan: null }
  const newPlan = await computeInSlices(compute, makePlan)
  const plan = await computeInSlices(compute, () => printPlan(newPlan))
  return {
    ...common,
    plan: unpreparedPlan(plan),
    isProven: false,
    cachePlan() {
      const newest = config.usePreparedStatements ? plan : unpreparedPlan(plan)
      const { plans: olderPlans = [], isSlow = false } = operations.get(key) ?? {}
      const plans = [newest, ...olderPlans.slice(0, MAX_PLANS - 1)]
      operations.set(key, { operation, plans, isSlow })
    },
  }

  function markSlow() {
    const cached = operations.get(key)
    if (cached) operations.set(key, { ...cached, isSlow: true })
  }
}

type ReadContext = {
  snapshot: SchemaCache
  session: Session
  bounds: DocumentBounds
  cached: CachedOperation | undefined
  config: Config
}

/** Reads a request, checks its size, and finds a cached plan that fits its variables. */
function readRequest(
  request: GraphQLRequest,
  { snapshot, session, bounds, cached, config }: ReadContext,
) {
  checkLength(request.query, bounds)
  checkValues(request.variables, bounds)
  if (config.enableAllowlist) checkAllowed(snapshot.metadata, request.query, session)
  const operation = cached?.operation ?? parseRequest(request, bounds, config)
  const variables = completeVariables(operation, request.variables, config)
  checkUses(operation.useCounts, variables, bounds)
  const role = snapshot.role(session, request.api)
  const plan = cached && findPlan(cached, variables)
  const inputs = {
    variables,
    sentVariables: request.variables,
    maxSubqueries: bounds.maxSubqueries,
  }
  return {
    operation,
    variables,
    role,
    cachedPlan: plan ? { plan, isProven: !cached.isSlow } : null,
    makePlan: () => planOperation(role.schema, operation, inputs),
  }
}

function parseRequest(
  { query, operationName, variables }: GraphQLRequest,
  bounds: DocumentBounds,
  config: Config,
): Operation {
  const operation = readOperation(query, operationName, bounds)
  return dropsUnbound(config) ? withoutUnbound(operation, variables) : operation
}

/**
 * Returns the key of an operation in the cache. It contains the role and the API, because they change the meaning of a document. If
 * unbound variables are dropped, the meaning also depends on the names of the bound variables.
 */
function cacheKey(
  { api, query, operationName, variables }: GraphQLRequest,
  { role, backendOnly }: Session,
  config: Config,
): string {
  const bound = dropsUnbound(config) ? Object.keys(variables).toSorted().join(' ') : ''
  return `${api} ${role}\n${backendOnly ? 'backend' : ''}\n${bound}\n${operationName ?? ''}\n${query}`
}

/**
 * The maximum number of cached plans of an operation. Each combination of decisions about its variables needs a plan.
 */
const MAX_PLANS = 20

function findPlan({ plans }: CachedOperation, variables: Variables): PrintedPlan | undefined {
  return plans.find(({ decisions }) => decisions.every((d) => decisionHolds(d, variables)))
}

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
  check(): Promise<unknown>
}

/**
 * Finds the plan for a request among the cached ones, or makes one. Reading, planning and printing wait for their turns
 * separately, since each takes milliseconds for a large document.
 *
 * @throws EngineError for what is wrong with the document or the variables; timeout when the client goes away
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
  const { operation, variables, role, known, makePlan } = await compute(() => {
    const bounds = boundsOf(session, config)
    const cached = operations.get(key)
    return readRequest(request, { snapshot, session, bounds, cached, config })
  })
  const found = {
    operation,
    operationName: request.operationName,
    variables,
    role,
    connectionsTo: (source: string) => snapshot.connections(source, session),
    noteSlow,
    check: () => computeInSlices(compute, makePlan),
  }
  if (known) return { ...found, ...known, keep: null }
  const planned = await computeInSlices(compute, makePlan)
  const plan = await computeInSlices(compute, () => printPlan(planned))
  return {
    ...found,
    plan: unpreparedPlan(plan),
    isProven: false,
    keep() {
      const fresh = config.usePreparedStatements ? plan : unpreparedPlan(plan)
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

type Reading = {
  snapshot: SchemaCache
  session: Session
  bounds: DocumentBounds
  cached: CachedOperation | undefined
  config: Config
}

/** Reads a request, checks its size, and finds the plan that fits its variables. */
function readRequest(
  request: GraphQLRequest,
  { snapshot, session, bounds, cached, config }: Reading,
) {
  checkLength(request.query, bounds)
  checkValues(request.variables, bounds)
  if (config.enableAllowlist) checkAllowed(snapshot.metadata, request.query, session)
  const operation = cached?.operation ?? parseRequest(request, bounds, config)
  const variables = completeVariables(operation, request.variables, config)
  checkUses(operation.uses, variables, bounds)
  const role = snapshot.role(session, request.api)
  const plan = cached && findPlan(cached, variables)
  const given = { variables, sent: request.variables, maxSubqueries: bounds.maxSubqueries }
  return {
    operation,
    variables,
    role,
    known: plan ? { plan, isProven: !cached.isSlow } : null,
    makePlan: () => planOperation(role.schema, operation, given),
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
 * Roles have schemas of their own in each API, so the same document means something else for each. Where variables without
 * a value are dropped, the document also depends on which variables have one.
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
 * How many plans of one operation are cached:
 * there is one for each set of decisions that its variables give.
 */
const MAX_PLANS = 20

function findPlan({ plans }: CachedOperation, variables: Variables): PrintedPlan | undefined {
  return plans.find(({ decisions }) => decisions.every((d) => decisionHolds(d, variables)))
}

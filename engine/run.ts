import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { EngineError } from './errors.ts'
import { query, transact } from './execute.ts'
import { introspect } from './introspect.ts'
import { holds, type Variables } from './plan/decision.ts'
import { readOperation } from './plan/document.ts'
import { planOperation } from './plan/plan.ts'
import { completeVariables } from './plan/variables.ts'
import { type ReadyPart, type ReadyPlan, ready } from './ready.ts'
import type { GraphQLRequest } from './request.ts'
import type { Session } from './session/session.ts'
import type { CachedOperation, Role } from './snapshot.ts'

/** `body` is the JSON text `{"data":…}`; `cookies` are `Set-Cookie` lines that action handlers sent. */
export type Answer = { body: string; cookies: readonly string[] }

/**
 * Answers one GraphQL operation: the stages, from text to text.
 *
 * @throws EngineError for everything that makes the answer `{"errors":[…]}`
 */
export async function run(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
  client: Client,
): Promise<Answer> {
  const role = engine.snapshot().role(session)
  const cached = operationOf(engine, role, request)
  const variables = completeVariables(cached.operation.node, request.variables)
  const plan = planOf(role, cached, { request, variables })
  if (plan.kind === 'subscription')
    throw new EngineError('unexpected-payload', 'subscriptions are not supported over HTTP, use websockets instead')
  const rows = await ask(engine, plan, { variables, session, client })
  const parts = await Promise.all(
    plan.parts.map(async (part) => {
      const text = await answer(part, rows, { role, cached, variables })
      return `${JSON.stringify(part.as)}:${text}`
    }),
  )
  return { body: `{"data":{${parts.join(',')}}}`, cookies: [] }
}

function operationOf({ config }: Engine, role: Role, { query: text, operationName }: GraphQLRequest): CachedOperation {
  const key = `${operationName ?? ''}\n${text}`
  const known = role.operations.get(key)
  if (known) return known
  const fresh = { operation: readOperation(text, operationName, config), plans: [] }
  role.operations.set(key, fresh)
  return fresh
}

/** Plans of one operation that are remembered: one per shape of what its variables decide. */
const MAX_PLANS = 20

type Asked = { request: GraphQLRequest; variables: Variables }

function planOf(role: Role, cached: CachedOperation, { request, variables }: Asked): ReadyPlan {
  const known = cached.plans.find(({ decisions }) => decisions.every((d) => holds(d, variables)))
  if (known) return known
  const fresh = ready(planOperation(role.schema, cached.operation, variables))
  const key = `${request.operationName ?? ''}\n${request.query}`
  role.operations.set(key, { ...cached, plans: [fresh, ...cached.plans.slice(0, MAX_PLANS - 1)] })
  return fresh
}

type Asking = { variables: Variables; session: Session; client: Client }

/** Everything that the database is asked, each statement's row. */
async function ask({ pool }: Engine, plan: ReadyPlan, { variables, session, client }: Asking) {
  const bindings = { variables, session }
  if (plan.kind === 'mutation')
    return plan.statements.length > 0 ? transact(pool, plan.statements, bindings, client.signal) : []
  const [statement] = plan.statements
  return statement ? [await query(pool, statement, bindings, client.signal)] : []
}

type Answering = { role: Role; cached: CachedOperation; variables: Variables }

async function answer(
  part: ReadyPart,
  rows: readonly (readonly string[])[],
  { role, cached, variables }: Answering,
): Promise<string> {
  switch (part.is) {
    case 'column':
      return rows[part.statement]?.[part.column] ?? 'null'
    case 'list':
      return `[${part.statements.map((statement) => rows[statement]?.[0] ?? 'null').join(',')}]`
    case 'known':
      return part.text
    case 'introspection':
      return introspect(role.introspection(), part.node, { operation: cached.operation, variables })
    case 'action':
    case 'stream':
      throw new EngineError('not-supported', 'not yet')
  }
}

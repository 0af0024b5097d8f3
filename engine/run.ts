import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { EngineError } from './errors.ts'
import { query, transact } from './execute.ts'
import { introspect } from './introspect.ts'
import type { Variables } from './plan/decision.ts'
import type { Operation } from './plan/document.ts'
import { prepare } from './prepare.ts'
import type { ReadyPart, ReadyPlan } from './ready.ts'
import type { GraphQLRequest } from './request.ts'
import type { Session } from './session/session.ts'
import type { Role } from './snapshot.ts'

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
  const { plan, role, operation, variables } = prepare(engine, request, session)
  if (plan.kind === 'subscription')
    throw new EngineError('unexpected-payload', 'subscriptions are not supported over HTTP, use websockets instead')
  const rows = await ask(engine, plan, { variables, session, client })
  const parts = await Promise.all(
    plan.parts.map(async (part) => {
      const text = await answer(part, rows, { role, operation, variables })
      return `${JSON.stringify(part.as)}:${text}`
    }),
  )
  return { body: `{"data":{${parts.join(',')}}}`, cookies: [] }
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

type Answering = { role: Role; operation: Operation; variables: Variables }

async function answer(
  part: ReadyPart,
  rows: readonly (readonly string[])[],
  { role, operation, variables }: Answering,
): Promise<string> {
  switch (part.is) {
    case 'column':
      return rows[part.statement]?.[part.column] ?? 'null'
    case 'list':
      return `[${part.statements.map((statement) => rows[statement]?.[0] ?? 'null').join(',')}]`
    case 'known':
      return part.text
    case 'introspection':
      return introspect(role.introspection(), part.node, { operation, variables })
    case 'action':
      throw new EngineError('not-supported', 'not yet')
  }
}

import { answerAction } from './actions/answer-action.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { EngineError } from './errors.ts'
import { query, transact } from './execute.ts'
import { introspect } from './introspect.ts'
import type { ActionCall } from './plan/action.ts'
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
    throw new EngineError(
      'unexpected-payload',
      'subscriptions are not supported over HTTP, use websockets instead',
    )
  const rows = await ask(engine, plan, { variables, session, client })
  const cookies: string[] = []
  const act = async (call: ActionCall) => {
    const asker = { bindings: { variables, session }, client, query: request.query }
    const answered = await answerAction(engine, call, asker)
    cookies.push(...answered.cookies)
    return answered.text
  }
  const member = async (part: ReadyPart) => {
    const text = await answer(part, rows, { role, operation, variables, act })
    return `${JSON.stringify(part.as)}:${text}`
  }
  const parts =
    plan.kind === 'mutation'
      ? await oneAfterAnother(plan.parts, member)
      : await Promise.all(plan.parts.map(member))
  return { body: `{"data":{${parts.join(',')}}}`, cookies }
}

/** GraphQL promises that root fields of a mutation do not overlap. */
async function oneAfterAnother<T, U>(
  items: readonly T[],
  act: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = []
  for (const item of items) results.push(await act(item))
  return results
}

type Asking = { variables: Variables; session: Session; client: Client }

/** Everything that the database is asked, each statement's row. */
async function ask({ pool }: Engine, plan: ReadyPlan, { variables, session, client }: Asking) {
  const bindings = { variables, session }
  if (plan.kind === 'mutation')
    return plan.statements.length > 0
      ? transact(pool, plan.statements, bindings, client.signal)
      : []
  const [statement] = plan.statements
  return statement ? [await query(pool, statement, bindings, client.signal)] : []
}

type Answering = {
  role: Role
  operation: Operation
  variables: Variables
  act(call: ActionCall): Promise<string>
}

async function answer(
  part: ReadyPart,
  rows: readonly (readonly string[])[],
  { role, operation, variables, act }: Answering,
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
      return act(part.call)
  }
}

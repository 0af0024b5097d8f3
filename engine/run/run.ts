import { type Deadline, deadlineOf } from '../../lib/limits/deadline.ts'
import { present } from '../../lib/present.ts'
import { type ActionCaller, runAction } from '../actions/run-action.ts'
import { validateInput } from '../actions/validate-input.ts'
import type { Config } from '../config.ts'
import { runStatements } from '../database/execute.ts'
import type { PrintedPart, PrintedPlan } from '../database/printed-plan.ts'
import type { Columns } from '../database/round-trip.ts'
import type { Connections } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import type { Variables } from '../plan/document/decision.ts'
import type { Operation } from '../plan/document/operation.ts'
import type { Client } from '../request/client.ts'
import type { GraphQLRequest } from '../request/graphql-request.ts'
import type { RoleCache } from '../schema-cache.ts'
import type { Session } from '../session/session.ts'
import { keepIfAffordable } from './affordable.ts'
import { type PreparedOperation, prepareOperation } from './prepare.ts'
import { traceStatement } from './trace-context.ts'

/** `body` is the JSON text `{"data":…}`; `cookies` are `Set-Cookie` lines that action handlers sent. */
export type Answer = { body: string; cookies: readonly string[] }

/**
 * Answers one GraphQL operation: the stages, from text to text.
 *
 * @throws EngineError for everything that makes the answer `{"errors":[…]}`
 */
export async function answerOperation(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
  client: Client,
): Promise<Answer> {
  const leave = await engine.admission.enter(session, client)
  try {
    return await answerAdmitted(engine, request, session, client)
  } finally {
    leave()
  }
}

async function answerAdmitted(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
  client: Client,
): Promise<Answer> {
  const prepared = prepareOperation(engine, request, session)
  if (prepared.plan.kind === 'subscription')
    throw new EngineError(
      'unexpected-payload',
      'subscriptions are not supported over HTTP, use websockets instead',
    )
  return answerPrepared(engine, prepared, { query: request.query, session, client })
}

type Asker = { query: string; session: Session; client: Client }

/**
 * Answers a query or mutation that is prepared, for a session that has been admitted.
 *
 * @throws EngineError as `answerOperation` does
 */
export async function answerPrepared(
  engine: Engine,
  prepared: PreparedOperation,
  { query, session, client }: Asker,
): Promise<Answer> {
  const { variables } = prepared
  await keepIfAffordable(engine, prepared, { variables, session })
  const deadline = deadlineOf(client, maxMs(session, engine.config))
  try {
    const bounded = { ...client, onGone: deadline.onGone }
    return await answerInTime(engine, prepared, { query, session, client: bounded, deadline })
  } finally {
    deadline.stop()
  }
}

/** How long an operation may take, all its fields together; null with the admin secret: as long as it likes. */
function maxMs({ restsOn }: Session, { callerOperationTimeoutMs }: Config): number | null {
  return restsOn === 'secret' ? null : callerOperationTimeoutMs
}

async function answerInTime(
  engine: Engine,
  prepared: PreparedOperation,
  { query, session, client, deadline }: Asker & { deadline: Deadline },
): Promise<Answer> {
  const { plan, role, operation, variables, connections, noteSlow } = prepared
  const began = performance.now()
  const asking = { variables, session, client, connections }
  const running = runPlan(engine, plan, asking).finally(() => {
    if (performance.now() - began > SLOW_MS) noteSlow()
  })
  const rows = await running.catch((thrown: unknown) => {
    if (isWrongValue(thrown)) prepared.check()
    throw thrown
  })
  const cookies: string[] = []
  const members: string[] = []
  for (const part of plan.parts) {
    if (part.kind === 'action' && deadline.hasPassed())
      throw new EngineError('timeout', 'the operation took too long', { path: '$' })
    const asker = { bindings: { variables, session }, client, query, connections }
    const answered =
      part.kind === 'action' || part.kind === 'introspection'
        ? await answerElsewhere(engine, part, { role, operation, asker })
        : answerFromRows(part, rows)
    cookies.push(...answered.cookies)
    members.push(`${part.key}${answered.text}${part.closes}`)
  }
  return { body: `{"data":{${members.join(',')}}}`, cookies }
}

/** After this long a query counts as slow: then the estimate of its cost, a few milliseconds, is no matter. */
const SLOW_MS = 200

/**
 * Whether a value of the request may be wrong. A statement reads its values in its own order, so that another one may be
 * wrong first in the document.
 */
function isWrongValue(thrown: unknown): boolean {
  return (
    thrown instanceof EngineError &&
    (thrown.code === 'parse-failed' || thrown.code === 'validation-failed')
  )
}

type Asking = {
  variables: Variables
  session: Session
  client: Client
  connections: Connections
}

/** Runs the plan's statements; the result has the columns of each one's row. */
async function runPlan(
  { schemaCache, config }: Engine,
  plan: PrintedPlan,
  { variables, session, client, connections }: Asking,
) {
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

type Answered = { text: string; cookies: readonly string[] }

const NO_COOKIES: readonly string[] = []

type AnsweredElsewhere = Extract<PrintedPart, { kind: 'action' | 'introspection' }>

/** The part's answer as the database wrote it, or as it was known before. */
function answerFromRows(
  part: Exclude<PrintedPart, AnsweredElsewhere>,
  rows: readonly Columns[],
): Answered {
  switch (part.kind) {
    case 'column':
      return { text: columnText(rows, part.statement, part.column), cookies: NO_COOKIES }
    case 'list': {
      const texts = part.items.map((item) =>
        typeof item === 'string' ? item : columnText(rows, item, 0),
      )
      return { text: `[${texts.join(',')}]`, cookies: NO_COOKIES }
    }
    case 'known':
      return { text: part.text, cookies: NO_COOKIES }
  }
}

/**
 * A column as JSON text. SQL's null is the answer of a field that is null, such as `<table>_by_pk` without a
 * row.
 */
function columnText(rows: readonly Columns[], statement: number, column: number): string {
  return present(rows[statement], 'the row of a statement')[column] ?? 'null'
}

type Elsewhere = { role: RoleCache; operation: Operation; asker: ActionCaller }

async function answerElsewhere(
  engine: Engine,
  part: AnsweredElsewhere,
  { role, operation, asker }: Elsewhere,
): Promise<Answered> {
  if (part.kind === 'action') return runAction(engine, part.call, asker)
  const { variables } = asker.bindings
  const { answerIntrospection: introspect } = await import('./introspect.ts')
  const text = await introspect(await role.introspection(), part.node, { operation, variables })
  return { text, cookies: NO_COOKIES }
}

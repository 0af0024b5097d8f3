import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { EngineError } from '../../errors.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import { type ActionCaller, runAction } from '../actions/run-action.ts'
import type { PrintedPart } from '../database/printed-plan.ts'
import type { Columns } from '../database/round-trip.ts'
import type { Engine } from '../engine.ts'
import type { PreparedOperation } from './prepare.ts'
import { openRemote, type RemoteAnswers } from './remote-answers.ts'
import { rowsText } from './rows-text.ts'
import { type RunContext, runPlan } from './run-plan.ts'

/** The result of an operation: the JSON text `{"data":…}`, and the `Set-Cookie` lines of action handlers. */
export type Answer = { body: string; cookies: readonly string[] }

/** The caller of an operation. `hasTimedOut` reports whether the operation has taken too long. */
export type PartsCaller = {
  query: string
  session: Session
  client: Client
  hasTimedOut(): boolean
}

/** Runs the statements, sends the requests to remote servers, and joins the results of all root fields. */
export async function answerParts(
  engine: Engine,
  prepared: PreparedOperation,
  { query, session, client, hasTimedOut }: PartsCaller,
): Promise<Answer> {
  const { plan, variables, connectionsTo } = prepared
  const runContext = { variables, session, client, connectionsTo }
  const remote = plan.isRemote ? openRemote(engine, prepared, runContext) : null
  try {
    remote?.begin()
    const rows = await runTimed(engine, prepared, runContext).catch(async (thrown: unknown) => {
      await remote?.requireFirst()
      throw thrown
    })
    remote?.join(rows)
    const actionCaller = { bindings: { variables, session }, client, query, connectionsTo }
    const resultSize = { characters: 0 }
    const context = { engine, prepared, runContext, rows, remote, actionCaller, resultSize }
    const cookies: string[] = []
    const members: string[] = []
    for (const part of plan.parts) {
      if (part.kind === 'action' && hasTimedOut())
        throw new EngineError('timeout', 'the operation took too long', { path: '$' })
      const text = constantText(part, rows)
      const answer = text === null ? await answerPart(part, context) : null
      cookies.push(...(answer?.cookies ?? NO_COOKIES))
      members.push(`${part.key}${answer?.text ?? text}${part.closes}`)
    }
    const body = `{"data":{${members.join(',')}}}`
    remote?.checkLength(body)
    return { body, cookies }
  } finally {
    remote?.end()
  }
}

async function runTimed(
  engine: Engine,
  { plan, markSlow }: PreparedOperation,
  runContext: RunContext,
) {
  const startedAt = performance.now()
  try {
    return await runPlan(engine, plan, runContext)
  } finally {
    if (performance.now() - startedAt > SLOW_MS) markSlow()
  }
}

/** The duration above which a query is slow. Estimating a query's cost takes a few milliseconds, which matters little if it is slow. */
const SLOW_MS = 200

type PartContext = {
  engine: Engine
  prepared: PreparedOperation
  runContext: RunContext
  rows: readonly Columns[]
  remote: RemoteAnswers | null
  actionCaller: ActionCaller
  /** The size of the operation's introspection results so far. */
  resultSize: { characters: number }
}

type PartAnswer = { text: string; cookies: readonly string[] }

const NO_COOKIES: readonly string[] = []

/** Returns a part's constant text, or the database's text. Null if the part needs more work. */
function constantText(part: PrintedPart, rows: readonly Columns[]): string | null {
  if (part.kind === 'constant') return part.text
  const isRead = (part.kind === 'column' || part.kind === 'list') && part.joins === null
  return isRead ? rowsText(part, rows) : null
}

async function answerPart(part: PrintedPart, context: PartContext): Promise<PartAnswer> {
  const { engine, runContext, rows, remote, actionCaller } = context
  switch (part.kind) {
    case 'action': {
      const { text, cookies } = await runAction(engine, part.call, actionCaller)
      if (!part.joins || !remote) return { text, cookies }
      return { text: await remote.joinText(text, part.joins), cookies }
    }
    case 'introspection':
      return { text: await introspect(part, context), cookies: NO_COOKIES }
    case 'transaction': {
      const [firstPart] = part.plan.parts
      const transactionRows = await runPlan(engine, part.plan, runContext)
      const innerPart = requireValue(firstPart, 'the part of a transaction')
      return answerPart(innerPart, { ...context, rows: transactionRows })
    }
    case 'remote':
      return {
        text: await requireValue(remote, 'remote answers').answer(part),
        cookies: NO_COOKIES,
      }
    case 'constant':
      return { text: part.text, cookies: NO_COOKIES }
    default: {
      if (part.joins && remote)
        return { text: await remote.joinPart(part, rows), cookies: NO_COOKIES }
      return { text: rowsText(part, rows), cookies: NO_COOKIES }
    }
  }
}

async function introspect(
  part: Extract<PrintedPart, { kind: 'introspection' }>,
  { engine, prepared: { role, operation }, runContext, resultSize }: PartContext,
): Promise<string> {
  const { answerIntrospection } = await import('./introspection/answer-introspection.ts')
  const { variables, session, client } = runContext
  return answerIntrospection(await role.introspection(), part.node, {
    operation,
    variables,
    isBounded: session.basis !== 'secret',
    resultSize,
    compute: (work) => engine.admission.compute(session, client.signal, work),
  })
}

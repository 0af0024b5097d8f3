import { present } from '../../../../lib/runtime/present.ts'
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
import { type Running, runPlan } from './run-plan.ts'

/** `body` is the JSON text `{"data":…}`; `cookies` are `Set-Cookie` lines that action handlers sent. */
export type Answer = { body: string; cookies: readonly string[] }

/** The caller of an operation, and whether the operation has taken too long. */
export type PartsAsker = {
  query: string
  session: Session
  client: Client
  hasTimedOut(): boolean
}

/** Runs the statements and asks remote servers, and puts the answers of all root fields together. */
export async function answerParts(
  engine: Engine,
  prepared: PreparedOperation,
  { query, session, client, hasTimedOut }: PartsAsker,
): Promise<Answer> {
  const { plan, variables, connectionsTo } = prepared
  const running = { variables, session, client, connectionsTo }
  const remote = plan.isRemote ? openRemote(engine, prepared, running) : null
  try {
    remote?.begin()
    const rows = await runTimed(engine, prepared, running).catch(async (thrown: unknown) => {
      await remote?.requireFirst()
      throw thrown
    })
    remote?.join(rows)
    const asker = { bindings: { variables, session }, client, query, connectionsTo }
    const printed = { characters: 0 }
    const answering = { engine, prepared, running, rows, remote, asker, printed }
    const cookies: string[] = []
    const members: string[] = []
    for (const part of plan.parts) {
      if (part.kind === 'action' && hasTimedOut())
        throw new EngineError('timeout', 'the operation took too long', { path: '$' })
      const known = knownText(part, rows)
      const answered = known === null ? await answerPart(part, answering) : null
      cookies.push(...(answered?.cookies ?? NO_COOKIES))
      members.push(`${part.key}${answered?.text ?? known}${part.closes}`)
    }
    const body = `{"data":{${members.join(',')}}}`
    remote?.checkLength(body)
    return { body, cookies }
  } finally {
    remote?.end()
  }
}

async function runTimed(engine: Engine, { plan, noteSlow }: PreparedOperation, running: Running) {
  const began = performance.now()
  try {
    return await runPlan(engine, plan, running)
  } finally {
    if (performance.now() - began > SLOW_MS) noteSlow()
  }
}

/** After this long a query counts as slow: then the estimate of its cost, a few milliseconds, is no matter. */
const SLOW_MS = 200

type Answering = {
  engine: Engine
  prepared: PreparedOperation
  running: Running
  rows: readonly Columns[]
  remote: RemoteAnswers | null
  asker: ActionCaller
  /** What the fields of introspection have printed. */
  printed: { characters: number }
}

type Answered = { text: string; cookies: readonly string[] }

const NO_COOKIES: readonly string[] = []

/** The answer that the database has written, or that was known before; null if more must be done. */
function knownText(part: PrintedPart, rows: readonly Columns[]): string | null {
  if (part.kind === 'known') return part.text
  const isRead = (part.kind === 'column' || part.kind === 'list') && part.joins === null
  return isRead ? rowsText(part, rows) : null
}

async function answerPart(part: PrintedPart, answering: Answering): Promise<Answered> {
  const { engine, running, rows, remote, asker } = answering
  switch (part.kind) {
    case 'action': {
      const { text, cookies } = await runAction(engine, part.call, asker)
      if (!part.joins || !remote) return { text, cookies }
      return { text: await remote.joined(text, part.joins), cookies }
    }
    case 'introspection':
      return { text: await introspect(part, answering), cookies: NO_COOKIES }
    case 'transaction': {
      const [only] = part.plan.parts
      const own = await runPlan(engine, part.plan, running)
      const alone = present(only, 'the part of a transaction')
      return answerPart(alone, { ...answering, rows: own })
    }
    case 'remote':
      return { text: await present(remote, 'remote answers').answer(part), cookies: NO_COOKIES }
    case 'known':
      return { text: part.text, cookies: NO_COOKIES }
    default: {
      if (part.joins && remote)
        return { text: await remote.joinedPart(part, rows), cookies: NO_COOKIES }
      return { text: rowsText(part, rows), cookies: NO_COOKIES }
    }
  }
}

async function introspect(
  part: Extract<PrintedPart, { kind: 'introspection' }>,
  { engine, prepared: { role, operation }, running, printed }: Answering,
): Promise<string> {
  const { answerIntrospection } = await import('./introspection/answer-introspection.ts')
  const { variables, session, client } = running
  return answerIntrospection(await role.introspection(), part.node, {
    operation,
    variables,
    isBounded: session.restsOn !== 'secret',
    printed,
    compute: (work) => engine.admission.compute(session, client.signal, work),
  })
}

import type { Bindings } from '../../compiler/ir/ir.ts'
import type { JoinTree } from '../../compiler/plan/root/join-tree.ts'
import { EngineError } from '../../errors.ts'
import type { PrintedPart, PrintedPlan } from '../database/printed-plan.ts'
import type { Columns } from '../database/round-trip.ts'
import type { Engine } from '../engine.ts'
import { answerRemoteCall, joinRemote } from '../remote/answer-remote.ts'
import { checkFieldValues, checkJoinValues } from '../remote/check-values.ts'
import type { RemoteContext } from '../remote/remote-context.ts'
import type { PreparedOperation } from './prepare.ts'
import { type RowsPart, rowsText } from './rows-text.ts'
import type { Running } from './run-plan.ts'

type RemotePart = Extract<PrintedPart, { kind: 'remote' }>

/** The part of an operation that remote servers answer. No connection to the database is held meanwhile. */
export type RemoteAnswers = {
  /**
   * Reads all values, and asks for all remote fields of a query, at the same time as its statement runs.
   *
   * @throws EngineError for a value that is wrong or missing
   */
  begin(): void
  /** Throws what a remote field before the database's first has failed with: of several errors Hasura tells the first. */
  requireFirst(): Promise<void>
  /** Asks for the remote relationships of all rows of a query at the same time. */
  join(rows: readonly Columns[]): void
  /** The answer of a root field, as JSON text. */
  answer(part: RemotePart): Promise<string>
  /** The database's answer with what belongs to its rows. */
  joinedPart(part: RowsPart, rows: readonly Columns[]): Promise<string>
  joined(text: string, tree: JoinTree): Promise<string>
  /** @throws query-too-costly if the answer is longer than the caller may have one */
  checkLength(body: string): void
  /** Gives up requests that are still running. */
  end(): void
}

/** Prepares to ask remote servers for one operation. */
export function openRemote(
  engine: Engine,
  { plan, operationName }: PreparedOperation,
  running: Running,
): RemoteAnswers {
  const ended = new AbortController()
  const signal = AbortSignal.any([running.client.signal, ended.signal])
  const { callerMaxAnswerBytes } = engine.config
  const isUnbounded = running.session.restsOn === 'secret' || !Number.isFinite(callerMaxAnswerBytes)
  const maxBytes = isUnbounded ? null : callerMaxAnswerBytes
  const context = remoteContext(engine, { ...running, maxBytes, signal })
  const asking: RemoteContext = { ...context, operationName, joins: plan.joins }
  const isQuery = plan.kind === 'query'
  const begun = new Map<PrintedPart, Promise<string>>()

  /** Begins an answer that is awaited later; until then its failure is nobody's. */
  function start(part: PrintedPart, answer: Promise<string>) {
    answer.catch(() => {})
    begun.set(part, answer)
  }
  const answerNow = (part: RemotePart) => answerRemoteCall(asking, part.call)
  const joinNow = (part: RowsPart, rows: readonly Columns[]) =>
    joinRemote(asking, rowsText(part, rows), part.joins ?? new Map())

  return {
    begin() {
      checkValues(plan, asking)
      if (!isQuery) return
      for (const part of plan.parts) if (isRemote(part)) start(part, answerNow(part))
    },
    async requireFirst() {
      for (const part of plan.parts) {
        if (part.kind === 'column') return
        await begun.get(part)
      }
    },
    join(rows) {
      if (!isQuery) return
      for (const part of plan.parts)
        if (part.kind === 'column' && part.joins) start(part, joinNow(part, rows))
    },
    answer: (part) => begun.get(part) ?? answerNow(part),
    joinedPart: (part, rows) => begun.get(part) ?? joinNow(part, rows),
    joined: (text, tree) => joinRemote(asking, text, tree),
    checkLength(body) {
      if (maxBytes === null || body.length <= maxBytes) return
      throw new EngineError('query-too-costly', `the answer is longer than ${maxBytes} bytes`)
    },
    end() {
      ended.abort()
    },
  }
}

function checkValues(plan: PrintedPlan, { bindings, joins }: RemoteContext): void {
  for (const part of plan.parts) {
    if (part.kind === 'transaction') readParameters(part.plan, bindings)
    if (isRemote(part)) checkFieldValues(part.call.field, bindings)
  }
  readParameters(plan, bindings)
  for (const join of joins) checkJoinValues(join, bindings)
}

function readParameters({ batches }: PrintedPlan, bindings: Bindings): void {
  for (const { statements } of batches)
    for (const { parameters } of statements) for (const { read } of parameters) read(bindings)
}

function isRemote(part: PrintedPart): part is RemotePart {
  return part.kind === 'remote'
}

type Bounded = Running & { maxBytes: number | null; signal: AbortSignal }

function remoteContext(
  { config: { environment, remoteDataFirst } }: Engine,
  { variables, session, client, connectionsTo, maxBytes, signal }: Bounded,
): Omit<RemoteContext, 'operationName' | 'joins'> {
  const bound = maxBytes === null ? {} : { maxReplyBytes: maxBytes }
  const caller = { variables: session.variables, headers: client.headers, signal, ...bound }
  return {
    exchange: { caller, environment },
    bindings: { variables, session },
    connectionsTo,
    inTurn: atMost(MAX_AT_ONCE),
    dataFirst: remoteDataFirst,
  }
}

/** How many requests of one operation may be running. */
const MAX_AT_ONCE = 10

/** Runs what it is given, but no more than so many at a time; the others wait for their turn. */
function atMost(count: number): RemoteContext['inTurn'] {
  let running = 0
  const waiting: (() => void)[] = []
  return async (act) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

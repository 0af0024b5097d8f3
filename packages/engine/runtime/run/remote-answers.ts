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
import type { RunContext } from './run-plan.ts'

type RemotePart = Extract<PrintedPart, { kind: 'remote' }>

/** The parts of an operation that remote servers answer. Waiting for them uses no connection to the database. */
export type RemoteAnswers = {
  /**
   * Reads all values, and requests all remote fields of a query, in parallel with its statement.
   *
   * @throws EngineError for a wrong or missing value
   */
  begin(): void
  /** Throws the error of a remote field that is before the database's first field: of several errors, Hasura reports the first. */
  requireFirst(): Promise<void>
  /** Requests the remote relationships of all rows of a query, in parallel. */
  join(rows: readonly Columns[]): void
  /** Returns the result of a root field as JSON text. */
  answer(part: RemotePart): Promise<string>
  /** Returns the database's result of a part with the remote relationships of its rows. */
  joinPart(part: RowsPart, rows: readonly Columns[]): Promise<string>
  /** Adds the results of remote relationships to the JSON text of a result. */
  joinText(text: string, tree: JoinTree): Promise<string>
  /** @throws query-too-costly if the result is longer than the caller's limit */
  checkLength(body: string): void
  /** Aborts running requests. */
  end(): void
}

/** Prepares an operation's requests to remote servers. */
export function openRemote(
  engine: Engine,
  { plan, operationName }: PreparedOperation,
  runContext: RunContext,
): RemoteAnswers {
  const controller = new AbortController()
  const signal = AbortSignal.any([runContext.client.signal, controller.signal])
  const { callerMaxAnswerBytes } = engine.config
  const isUnbounded =
    runContext.session.basis === 'secret' || !Number.isFinite(callerMaxAnswerBytes)
  const maxBytes = isUnbounded ? null : callerMaxAnswerBytes
  const context = remoteContext(engine, { ...runContext, maxBytes, signal })
  const operation: RemoteContext = { ...context, operationName, joins: plan.joins }
  const isQuery = plan.kind === 'query'
  const pending = new Map<PrintedPart, Promise<string>>()

  /** Stores a promise that is awaited later. Handles its rejection here, so that it is never unhandled. */
  function start(part: PrintedPart, answer: Promise<string>) {
    answer.catch(() => {})
    pending.set(part, answer)
  }
  const answerNow = (part: RemotePart) => answerRemoteCall(operation, part.call)
  const joinNow = (part: RowsPart, rows: readonly Columns[]) =>
    joinRemote(operation, rowsText(part, rows), part.joins ?? new Map())

  return {
    begin() {
      checkValues(plan, operation)
      if (!isQuery) return
      for (const part of plan.parts) if (isRemote(part)) start(part, answerNow(part))
    },
    async requireFirst() {
      for (const part of plan.parts) {
        if (part.kind === 'column') return
        await pending.get(part)
      }
    },
    join(rows) {
      if (!isQuery) return
      for (const part of plan.parts)
        if (part.kind === 'column' && part.joins) start(part, joinNow(part, rows))
    },
    answer: (part) => pending.get(part) ?? answerNow(part),
    joinPart: (part, rows) => pending.get(part) ?? joinNow(part, rows),
    joinText: (text, tree) => joinRemote(operation, text, tree),
    checkLength(body) {
      if (maxBytes === null || Buffer.byteLength(body) <= maxBytes) return
      throw new EngineError('query-too-costly', `the result is longer than ${maxBytes} bytes`)
    },
    end() {
      controller.abort()
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

type RemoteLimits = RunContext & { maxBytes: number | null; signal: AbortSignal }

function remoteContext(
  { config: { environment, remoteDataFirst } }: Engine,
  { variables, session, client, connectionsTo, maxBytes, signal }: RemoteLimits,
): Omit<RemoteContext, 'operationName' | 'joins'> {
  const replyLimit = maxBytes === null ? {} : { maxReplyBytes: maxBytes }
  const caller = { variables: session.variables, headers: client.headers, signal, ...replyLimit }
  return {
    exchange: { caller, environment },
    bindings: { variables, session },
    connectionsTo,
    runLimited: createLimiter(MAX_AT_ONCE),
    dataFirst: remoteDataFirst,
  }
}

/** The maximum number of requests that an operation runs at the same time. */
const MAX_AT_ONCE = 10

/** Creates a function that runs at most `count` calls at a time. Further calls wait. */
function createLimiter(count: number): RemoteContext['runLimited'] {
  let runningCount = 0
  const queue: (() => void)[] = []
  return async (act) => {
    if (runningCount >= count) await new Promise<void>((resolve) => queue.push(resolve))
    else runningCount += 1
    try {
      return await act()
    } finally {
      const startNext = queue.shift()
      if (startNext) startNext()
      else runningCount -= 1
    }
  }
}

import { abortAfter } from '../../../../lib/runtime/limits/abort-signals.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import type { Engine } from '../engine.ts'
import type { GraphQLRequest } from '../graphql-request.ts'
import { RemoteErrors } from '../remote/answer-remote.ts'
import { type Answer, answerParts, type PartsCaller } from './answer-parts.ts'
import { cacheIfAffordable } from './cost-limit.ts'
import { type PreparedOperation, prepareOperation } from './prepare.ts'
import { logQuery } from './query-log.ts'

/**
 * Answers a GraphQL operation.
 *
 * @returns the result; if a remote server responds with errors, the result has these errors
 * @throws EngineError for every other error
 */
export async function answerOperation(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
  client: Client,
): Promise<Answer> {
  const leave = await engine.admission.enter(session, client.signal)
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
  const prepared = await prepareOperation(engine, request, { session, client })
  logQuery(engine.queryLog, request, { prepared, session, client })
  if (prepared.plan.kind === 'subscription')
    throw new EngineError(
      'unexpected-payload',
      'subscriptions are not supported over HTTP, use websockets instead',
    )
  return answerPrepared(engine, prepared, { query: request.query, session, client })
}

type OperationCaller = Omit<PartsCaller, 'hasTimedOut'>

/**
 * Answers a prepared query or mutation of an admitted session.
 *
 * @throws EngineError like `answerOperation`
 */
export async function answerPrepared(
  engine: Engine,
  prepared: PreparedOperation,
  { query, session, client }: OperationCaller,
): Promise<Answer> {
  const { variables } = prepared
  await cacheIfAffordable(engine, prepared, { variables, session })
  const { signal, hasTimedOut, release } = abortAfter(client.signal, maxMs(session, engine.config))
  try {
    const timedClient = { ...client, signal }
    return await answerInTime(engine, prepared, {
      query,
      session,
      client: timedClient,
      hasTimedOut,
    })
  } finally {
    release()
  }
}

/** Returns the time limit of a whole operation; null for no limit, as with the admin secret. */
function maxMs({ basis }: Session, { callerOperationTimeoutMs }: Config): number | null {
  const isUnbounded = basis === 'secret' || !Number.isFinite(callerOperationTimeoutMs)
  return isUnbounded ? null : callerOperationTimeoutMs
}

async function answerInTime(
  engine: Engine,
  prepared: PreparedOperation,
  caller: PartsCaller,
): Promise<Answer> {
  try {
    return await answerParts(engine, prepared, caller)
  } catch (thrown) {
    if (thrown instanceof RemoteErrors)
      return { body: JSON.stringify({ data: null, errors: thrown.errors }), cookies: [] }
    if (isWrongValue(thrown)) await prepared.check()
    throw thrown
  }
}

/**
 * True if the error may be about a value of the request. A statement reads its values in another order than the document, so
 * another value may be the document's first wrong value.
 */
function isWrongValue(thrown: unknown): boolean {
  return (
    thrown instanceof EngineError &&
    (thrown.code === 'parse-failed' || thrown.code === 'validation-failed')
  )
}

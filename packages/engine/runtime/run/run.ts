import { abortAfter } from '../../../../lib/runtime/limits/abort-signals.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import type { Engine } from '../engine.ts'
import type { GraphQLRequest } from '../graphql-request.ts'
import { RemoteErrors } from '../remote/answer-remote.ts'
import { keepIfAffordable } from './affordable.ts'
import { type Answer, answerParts, type PartsAsker } from './answer-parts.ts'
import { type PreparedOperation, prepareOperation } from './prepare.ts'

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
  if (prepared.plan.kind === 'subscription')
    throw new EngineError(
      'unexpected-payload',
      'subscriptions are not supported over HTTP, use websockets instead',
    )
  return answerPrepared(engine, prepared, { query: request.query, session, client })
}

type Asker = Omit<PartsAsker, 'hasTimedOut'>

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
  const { signal, hasTimedOut, release } = abortAfter(client.signal, maxMs(session, engine.config))
  try {
    const bounded = { ...client, signal }
    return await answerInTime(engine, prepared, { query, session, client: bounded, hasTimedOut })
  } finally {
    release()
  }
}

/** How long an operation may take, all its fields together; null for no limit, as with the admin secret. */
function maxMs({ restsOn }: Session, { callerOperationTimeoutMs }: Config): number | null {
  const isUnbounded = restsOn === 'secret' || !Number.isFinite(callerOperationTimeoutMs)
  return isUnbounded ? null : callerOperationTimeoutMs
}

async function answerInTime(
  engine: Engine,
  prepared: PreparedOperation,
  asker: PartsAsker,
): Promise<Answer> {
  try {
    return await answerParts(engine, prepared, asker)
  } catch (thrown) {
    if (thrown instanceof RemoteErrors)
      return { body: JSON.stringify({ data: null, errors: thrown.errors }), cookies: [] }
    if (isWrongValue(thrown)) await prepared.check()
    throw thrown
  }
}

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

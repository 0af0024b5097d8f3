import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import { prepare } from '../prepare.ts'
import type { GraphQLRequest } from '../request.ts'
import type { Session } from '../session/session.ts'

/** A subscription as the poller needs it. */
export type Subscription = {
  /** One statement for any number of subscribers, see `liveStatement`. */
  statement: string
  values: readonly (string | null)[]
  /** Streams: which of the values says where they are; null for a live query. */
  cursor: number | null
}

/**
 * Plans a subscription; null for a query or mutation.
 *
 * @throws EngineError for what is wrong with the operation
 */
export function subscription(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
): Subscription | null {
  const { plan, variables } = prepare(engine, request, session)
  if (plan.kind !== 'subscription') return null
  if (!plan.live) throw new EngineError('not-supported', 'this field cannot be subscribed to')
  const { text, parameters, cursor } = plan.live
  const values = parameters.map((parameter) => parameter.read({ variables, session }))
  return { statement: text, values, cursor }
}

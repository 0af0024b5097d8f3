import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import { prepare } from '../prepare.ts'
import type { GraphQLRequest } from '../request.ts'
import type { Session } from '../session/session.ts'

/** A subscription as the poller needs it. */
export type Subscription = {
  /**
   * One statement for any number of subscriptions: `$1` are their numbers, `$2` the values of each as a
   * JSON array of texts; it answers rows of `id`, `result` (the JSON text to send) and `cursor`.
   */
  statement: string
  values: readonly (string | null)[]
  /** Streams: which of the values is where they are; null for a live query. */
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
  return { statement: text, values: parameters.map(({ read }) => read({ variables, session })), cursor }
}

import { runAction } from '../actions/run-action.ts'
import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import type { ActionCall } from '../plan/action/action.ts'
import type { Client } from '../request/client.ts'
import type { GraphQLRequest } from '../request/graphql-request.ts'
import { prepare } from '../run/prepare.ts'
import type { Session } from '../session/session.ts'

/** A planned subscription, to the database or to an action. */
export type PlannedSubscription = DatabaseSubscription | ActionSubscription

/** A subscription that the database answers, for many subscribers at once. */
export type DatabaseSubscription = {
  kind: 'database'
  /** One statement for any number of subscribers, see `liveStatement`. */
  statement: string
  values: readonly (string | null)[]
  /** A statement that fails if the database cannot read the values. */
  check: string
  /** Whether functions are given arguments, which they may refuse. */
  givesArguments: boolean
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
}

/** A subscription to the result of an asynchronous action. */
export type ActionSubscription = {
  kind: 'action'
  /** The answer as it is now: JSON text `{"data":…}`. */
  readResult(client: Client): Promise<string>
}

/**
 * Plans a subscription; null for a query or mutation.
 *
 * @throws EngineError for what is wrong with the operation
 */
export function planSubscription(
  engine: Engine,
  request: GraphQLRequest,
  session: Session,
): PlannedSubscription | null {
  const { plan, variables } = prepare(engine, request, session)
  if (plan.kind !== 'subscription') return null
  const bindings = { variables, session }
  if (plan.live) {
    const { text, parameters, check, givesArguments, cursor } = plan.live
    const values = parameters.map((parameter) => parameter.read(bindings))
    return { kind: 'database', statement: text, values, check, givesArguments, cursor }
  }
  const [part] = plan.parts
  if (part?.kind !== 'action') {
    throw new EngineError('not-supported', 'this field cannot be subscribed to')
  }
  const readResult = actionResultReader(engine, part.call, { bindings, query: request.query })
  return {
    kind: 'action',
    readResult: async (client) =>
      `{"data":{${JSON.stringify(part.as)}:${await readResult(client)}}}`,
  }
}

function actionResultReader(
  engine: Engine,
  call: ActionCall,
  asker: { bindings: { variables: GraphQLRequest['variables']; session: Session }; query: string },
): (client: Client) => Promise<string> {
  return async (client) => (await runAction(engine, call, { ...asker, client })).text
}

import { runAction } from '../actions/run-action.ts'
import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import type { ActionCall } from '../plan/action/action.ts'
import type { Client } from '../request/client.ts'
import type { GraphQLRequest } from '../request/graphql-request.ts'
import { keepIfAffordable } from '../run/affordable.ts'
import { type PreparedOperation, prepareOperation } from '../run/prepare.ts'
import type { Session } from '../session/session.ts'

/** A subscription that is planned: to rows of the database, or to the result of an asynchronous action. */
export type PlannedSubscription = DatabaseSubscription | ActionSubscription

/** A subscription that one statement of the database answers for many subscribers at once. */
export type DatabaseSubscription = {
  kind: 'database'
  /** The statement for any number of subscribers; see `sql/live.ts`. */
  statement: string
  values: readonly (string | null)[]
  /** A statement that fails if the database cannot read the values. */
  check: string
  /** Whether a database function gets arguments, which it may reject. */
  givesArguments: boolean
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
}

/** A subscription to the result of an asynchronous action. */
export type ActionSubscription = {
  kind: 'action'
  /** Reads the result as it is now: JSON text `{"data":…}`. */
  readResult(client: Client): Promise<string>
}

/**
 * Plans a subscription; null for a query or mutation.
 *
 * @throws EngineError for what is wrong with the operation
 */
export async function planSubscription(
  engine: Engine,
  request: GraphQLRequest,
  { session, client }: { session: Session; client: Client },
): Promise<PlannedSubscription | null> {
  const leave = await engine.admission.enter(session, client)
  try {
    const prepared = prepareOperation(engine, request, session)
    if (prepared.plan.kind !== 'subscription') return null
    const { variables } = prepared
    await keepIfAffordable(engine, prepared, { variables, session })
    return plannedSubscription(engine, request, prepared, session)
  } finally {
    leave()
  }
}

function plannedSubscription(
  engine: Engine,
  request: GraphQLRequest,
  { plan, variables }: PreparedOperation,
  session: Session,
): PlannedSubscription {
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

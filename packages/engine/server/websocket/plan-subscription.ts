import type { ActionCall } from '../../compiler/plan/root/action.ts'
import { EngineError } from '../../errors.ts'
import { type ActionCaller, runAction } from '../../runtime/actions/run-action.ts'
import type { Connections } from '../../runtime/database/source-connections.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { GraphQLRequest } from '../../runtime/graphql-request.ts'
import { cacheIfAffordable } from '../../runtime/run/cost-limit.ts'
import type { PreparedOperation } from '../../runtime/run/prepare.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'

/** A planned subscription: to rows of the database, or to the result of an asynchronous action. */
export type SubscriptionPlan = DatabaseSubscription | ActionSubscription

/** A subscription to rows. One statement answers many subscribers at once. */
export type DatabaseSubscription = {
  kind: 'database'
  /** The statement for any number of subscribers; see `compiler/sql/live-statement.ts`. */
  statement: string
  values: readonly (string | null)[]
  /** A statement that fails if the database cannot read the values. */
  check: string
  /** True if the statement passes arguments to a database function, which may reject them. */
  givesArguments: boolean
  /** The index of a stream's cursor in the values; null for a live query. */
  cursor: number | null
  /** The name of the source that the statement reads, and the subscriber's connections to it. */
  source: string
  connections: Connections
}

/** A subscription to the result of an asynchronous action. */
export type ActionSubscription = {
  kind: 'action'
  /** Reads the current result as JSON text `{"data":…}`. */
  readResult(client: Client): Promise<string>
}

/**
 * Plans a prepared subscription.
 *
 * @throws query-too-costly, not-supported
 */
export async function planSubscription(
  engine: Engine,
  request: GraphQLRequest,
  prepared: PreparedOperation,
  session: Session,
): Promise<SubscriptionPlan> {
  const { plan, variables, connectionsTo } = prepared
  const bindings = { variables, session }
  await cacheIfAffordable(engine, prepared, bindings)
  if (plan.live) {
    const { source, text, parameters, check, givesArguments, cursor } = plan.live
    const connections = connectionsTo(source)
    const values = parameters.map((parameter) => parameter.read(bindings))
    const statement = text
    return {
      kind: 'database',
      statement,
      values,
      check,
      givesArguments,
      cursor,
      source,
      connections,
    }
  }
  const [part] = plan.parts
  if (part?.kind !== 'action') {
    throw new EngineError('not-supported', 'this field cannot be subscribed to')
  }
  const caller = { bindings, query: request.query, connectionsTo }
  const readResult = actionResultReader(engine, part.call, caller)
  return {
    kind: 'action',
    readResult: async (client) =>
      `{"data":{${JSON.stringify(part.as)}:${await readResult(client)}}}`,
  }
}

function actionResultReader(
  engine: Engine,
  call: ActionCall,
  caller: Omit<ActionCaller, 'client'>,
): (client: Client) => Promise<string> {
  return async (client) => (await runAction(engine, call, { ...caller, client })).text
}

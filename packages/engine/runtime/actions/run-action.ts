import type { Bindings } from '../../compiler/ir/ir.ts'
import type { ActionCall } from '../../compiler/plan/root/action.ts'
import { EngineError } from '../../errors.ts'
import type { Client } from '../../session/client.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import { enqueueActionCall, readActionResult } from './asynchronous-action.ts'
import { callHandler, type HandlerAnswer } from './call-handler.ts'
import { fillPlaceholders } from './related-rows.ts'
import { renderOutput } from './render-output.ts'
import { InvalidOutput, validateOutput } from './validate-output.ts'

/** The request that calls an action. `query` is its whole document. */
export type ActionCaller = {
  bindings: Bindings
  client: Client
  query: string
  /** The connections for related rows. */
  connectionsTo: ConnectionsTo
}

/** The result of a root field as JSON text, and the values of the handler's `Set-Cookie`. */
export type ActionAnswer = { text: string; cookies: readonly string[] }

/**
 * Answers the root field of an action: calls the handler. For an asynchronous action, queues the call or reads its result.
 *
 * @throws EngineError
 */
export async function runAction(
  engine: Engine,
  call: ActionCall,
  caller: ActionCaller,
): Promise<ActionAnswer> {
  const { bindings, client, query, connectionsTo } = caller
  const input = call.input(bindings.variables)
  if (call.mode === 'result')
    return readActionResult(engine, call, { input, bindings, connectionsTo })
  if (call.action.asynchronous) return enqueueActionCall(engine, call, { input, bindings, client })
  const sessionVariables = Object.fromEntries(bindings.session.variables)
  const { headers, requestId } = client
  const { action } = call
  const answer = await callHandler(
    { action, input, sessionVariables, headers, requestId, query },
    engine.config,
  )
  checkOutput(call, answer)
  const text = await fillPlaceholders(
    connectionsTo,
    renderOutput(answer.value, call.fields),
    bindings,
  )
  return { text, cookies: answer.cookies }
}

/**
 * Checks that a response has the declared type.
 *
 * @throws unexpected
 */
export function checkOutput(
  { type }: Pick<ActionCall, 'type'>,
  { value, exchange }: HandlerAnswer,
) {
  try {
    validateOutput(type, value)
  } catch (thrown) {
    throw thrown instanceof InvalidOutput ? invalidOutputError(thrown, exchange) : thrown
  }
}

function invalidOutputError(
  cause: InvalidOutput,
  exchange: HandlerAnswer['exchange'],
): EngineError {
  const internal = { error: 'unexpected response', ...exchange }
  return new EngineError('unexpected', cause.message, { status: 400, internal, cause })
}

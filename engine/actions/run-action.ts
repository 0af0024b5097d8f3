import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import type { Bindings } from '../ir/ir.ts'
import type { ActionCall } from '../plan/action/action.ts'
import type { Client } from '../request/client.ts'
import { enqueueActionCall, readActionResult } from './asynchronous-action.ts'
import { callHandler, type HandlerAnswer } from './call-handler.ts'
import { fillPlaceholders } from './related-rows.ts'
import { renderOutput } from './render-output.ts'
import { InvalidOutput, validateOutput } from './validate-output.ts'

/** Who calls an action, and with which document. */
export type ActionCaller = { bindings: Bindings; client: Client; query: string }

/** JSON text, and the values of Set-Cookie that the handler sent. */
export type ActionAnswer = { text: string; cookies: readonly string[] }

/** Answers a root field that is an action: JSON text, and the cookies that the handler sets. */
export async function runAction(
  engine: Engine,
  call: ActionCall,
  asker: ActionCaller,
): Promise<ActionAnswer> {
  const { bindings, client, query } = asker
  const input = call.input(bindings.variables)
  if (call.asks === 'result') return readActionResult(engine, call, { input, bindings })
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
    engine.pool,
    renderOutput(answer.value, call.fields),
    bindings,
  )
  return { text, cookies: answer.cookies }
}

/** Refuses an answer that is not of the declared type. */
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

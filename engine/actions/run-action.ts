import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import type { Bindings } from '../ir/ir.ts'
import type { ActionCall } from '../plan/action/action.ts'
import type { Client } from '../request/client.ts'
import { asynchronousResult, enqueue } from './asynchronous-action.ts'
import { callHandler, type HandlerAnswer } from './call-handler.ts'
import { fillHoles } from './related-rows.ts'
import { pieces } from './render-output.ts'
import { validate, WrongAnswer } from './validate-output.ts'

/** Who calls an action, and with which document. */
export type Asker = { bindings: Bindings; client: Client; query: string }

/** JSON text, and the values of Set-Cookie that the handler sent. */
export type ActionAnswer = { text: string; cookies: readonly string[] }

/** Answers a root field that is an action: JSON text, and the cookies that the handler sets. */
export async function answerAction(
  engine: Engine,
  call: ActionCall,
  asker: Asker,
): Promise<ActionAnswer> {
  const { bindings, client, query } = asker
  const input = call.input(bindings.variables)
  if (call.asks === 'result') return asynchronousResult(engine, call, { input, bindings })
  if (call.action.asynchronous) return enqueue(engine, call, { input, bindings, client })
  const sessionVariables = Object.fromEntries(bindings.session.variables)
  const { headers, requestId } = client
  const { action } = call
  const answer = await callHandler(
    { action, input, sessionVariables, headers, requestId, query },
    engine.config,
  )
  check(call, answer)
  const text = await fillHoles(engine.pool, pieces(answer.value, call.fields), bindings)
  return { text, cookies: answer.cookies }
}

/** Refuses an answer that is not of the declared type. */
export function check({ type }: Pick<ActionCall, 'type'>, { value, exchange }: HandlerAnswer) {
  try {
    validate(type, value)
  } catch (thrown) {
    throw thrown instanceof WrongAnswer ? unexpected(thrown, exchange) : thrown
  }
}

function unexpected(cause: WrongAnswer, exchange: HandlerAnswer['exchange']): EngineError {
  const internal = { error: 'unexpected response', ...exchange }
  return new EngineError('unexpected', cause.message, { status: 400, internal, cause })
}

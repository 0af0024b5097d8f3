import { z } from 'zod'
import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import type { Action } from '../compiler/model/model.ts'
import { namedType, type TypeRef } from '../compiler/schema/graphql-types.ts'
import { HandlerError } from '../errors.ts'
import { callHandler } from '../runtime/actions/call-handler.ts'
import { checkOutput } from '../runtime/actions/run-action.ts'
import type { Engine } from '../runtime/engine.ts'
import { renderMetadataError, toEngineError } from '../session/render-error.ts'
import { ADMIN } from '../session/session.ts'
import type { Queue } from './queue.ts'
import type { RowOutcome } from './row-locks.ts'

const QueuedCall = z.object({
  id: z.string(),
  action_name: z.string(),
  input_payload: z.string().transform(parseExactJson).pipe(z.record(z.string(), z.unknown())),
  request_headers: z.record(z.string(), z.string()),
  session_variables: z.record(z.string(), z.string()),
})
type QueuedCall = z.infer<typeof QueuedCall>

/** Creates the queue that calls the handlers of asynchronous actions, and stores their results. */
export function createAsynchronousActionQueue(engine: Engine): Queue {
  const { config, schemaCache } = engine
  const asynchronous = () => schemaCache().model.actions.filter((action) => action.asynchronous)
  return {
    name: 'asynchronous actions',
    intervalMs: config.asyncActionsFetchMs,
    maxConcurrent: config.eventsHttpPoolSize,
    lease: LEASE,
    leaseValues: () => [asynchronous().map(({ name }) => name)],
    async processRow(row) {
      const call = QueuedCall.parse(row)
      const action = asynchronous().find(({ name }) => name === call.action_name)
      return action ? performActionCall(engine, action, call) : { text: RELEASE, values: [call.id] }
    },
  }
}

async function performActionCall(
  engine: Engine,
  action: Action,
  call: QueuedCall,
): Promise<RowOutcome> {
  try {
    const answer = await callHandler(
      {
        action,
        input: call.input_payload,
        sessionVariables: call.session_variables,
        headers: call.request_headers,
        requestId: null,
        query: null,
      },
      engine.config,
    )
    const type = actionOutputType(engine, action)
    if (type) checkOutput({ type }, answer)
    return outcome(COMPLETE, call, answer.value)
  } catch (thrown) {
    const errors =
      thrown instanceof HandlerError
        ? { code: thrown.handlerCode, path: thrown.path, error: thrown.message }
        : renderMetadataError(toEngineError(thrown), { session: null, config: engine.config })
    return outcome(FAIL, call, errors)
  }
}

/** Returns the statement that stores `value`, or an error if the database rejects it: jsonb cannot hold U+0000, for example. */
function outcome(text: string, { id }: QueuedCall, value: unknown): RowOutcome {
  const otherwise = { text: FAIL, values: [id, JSON.stringify(NOT_STORED)] }
  return { text, values: [id, JSON.stringify(value)], fallback: otherwise }
}

const NOT_STORED = {
  code: 'unexpected',
  path: '$',
  error: "the database cannot store the handler's response",
}

/** Returns the type of the handler's response: the type of `output` in the root field of the action's result. */
function actionOutputType({ schemaCache }: Engine, { name }: Action): TypeRef | null {
  const { query } = schemaCache().role({ role: ADMIN, backendOnly: false }).schema
  const field = query.fields().get(name)
  const result = field && namedType(field.type)
  return result?.kind === 'object' ? (result.fields().get('output')?.type ?? null) : null
}

// Calls that were already leased come last, because their lock is free only if the engine that leased them has ended.
const LEASE = `
with due as materialized (
  select id
  from hdb_catalog.hdb_action_log
  where status in ('created', 'processing') and action_name = any ($3) and id::text <> all ($1)
  order by status = 'processing', created_at
  limit $2
  for update skip locked
)
update hdb_catalog.hdb_action_log call
set status = 'processing'
from due
where call.id = due.id and pg_try_advisory_lock(hashtextextended(due.id::text, 0))
returning call.id, call.action_name, call.input_payload::text as input_payload, call.request_headers, call.session_variables`

const RELEASE = `update hdb_catalog.hdb_action_log set status = 'created' where id = $1`

const COMPLETE = `
update hdb_catalog.hdb_action_log
set status = 'completed', response_payload = $2, response_received_at = now()
where id = $1`

const FAIL = `
update hdb_catalog.hdb_action_log
set status = 'error', errors = $2, response_received_at = now()
where id = $1`

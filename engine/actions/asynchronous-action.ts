import { parseExactJson } from '../../lib/exact-json.ts'
import { present } from '../../lib/present.ts'
import type { Engine } from '../engine.ts'
import type { Bindings } from '../ir/ir.ts'
import { forwardedHeaders } from '../outgoing/forwarded-headers.ts'
import type { ActionCall } from '../plan/action/action.ts'
import { type Client, clientHeaders } from '../request/client.ts'
import { seesInternalErrors } from '../session/render-error.ts'
import { ADMIN } from '../session/session.ts'
import { fillPlaceholders } from './related-rows.ts'
import { renderOutput } from './render-output.ts'

type ActionRequest = { input: Readonly<Record<string, unknown>>; bindings: Bindings }

/** Queues a call of an asynchronous action for the scheduler; the answer is the id by which its result is requested. */
export async function enqueueActionCall(
  { connections }: Engine,
  { action }: ActionCall,
  { input, bindings, client }: ActionRequest & { client: Client },
) {
  const { forward_client_headers: forward } = action.metadata.definition
  const { pool } = connections(bindings.session)
  const { rows } = await pool.query<{ id: string }>(ENQUEUE, [
    action.name,
    JSON.stringify(input),
    JSON.stringify(forward ? headersWithoutSecrets(client) : {}),
    JSON.stringify(Object.fromEntries(bindings.session.variables)),
  ])
  const { id } = present(rows[0], 'the call that was just queued')
  return { text: JSON.stringify(id), cookies: [] }
}

/** The result of an asynchronous call, or null; only an admin sees the calls of other sessions. */
export async function readActionResult(
  { connections, config }: Engine,
  { action, fields }: ActionCall,
  { input, bindings }: ActionRequest,
) {
  const { session } = bindings
  const { pool } = connections(session)
  const { rows } = await pool.query<ResultRow>(RESULT, [
    action.name,
    input.id,
    session.role === ADMIN ? null : JSON.stringify(Object.fromEntries(session.variables)),
    seesInternalErrors({ session, config }),
  ])
  const [row] = rows
  const result = row && { ...row, output: row.output === null ? null : parseExactJson(row.output) }
  const text = await fillPlaceholders(pool, renderOutput(result, fields), bindings)
  return { text, cookies: [] }
}

const ENQUEUE = `
insert into hdb_catalog.hdb_action_log
  (action_name, input_payload, request_headers, session_variables, status)
values ($1, $2, $3, $4, 'created')
returning id`

/** `output` is JSON text. */
type ResultRow = { id: string; created_at: string; errors: unknown; output: string | null }

const RESULT = `
select id, to_json(created_at) #>> '{}' as created_at,
  case when $4 then errors else errors - 'internal' end as errors, response_payload::text as output
from hdb_catalog.hdb_action_log
where action_name = $1 and id = $2 and ($3::jsonb is null or session_variables = $3)`

/** The headers to store: those that the handler gets, without admin secret and session variables. */
function headersWithoutSecrets({ headers }: Client) {
  const forwarded = Object.entries(forwardedHeaders(clientHeaders(headers)))
  return Object.fromEntries(forwarded.filter(([name]) => !name.startsWith('x-hasura-')))
}

import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { Bindings } from '../../compiler/ir/ir.ts'
import type { ActionCall, OutputField } from '../../compiler/plan/root/action.ts'
import type { TypeRef } from '../../compiler/schema/graphql-types.ts'
import { isList, isRecord, memberAt } from '../../json/record.ts'
import { type Client, clientHeaders } from '../../session/client.ts'
import { forwardedHeaders } from '../../session/forwarded-headers.ts'
import { ADMIN } from '../../session/session.ts'
import type { ConnectionsTo } from '../database/source-connections.ts'
import type { Engine } from '../engine.ts'
import { fillPlaceholders } from './related-rows.ts'
import { renderRow } from './render-output.ts'

type ActionRequest = { input: Readonly<Record<string, unknown>>; bindings: Bindings }

/** Queues a call of an asynchronous action for the scheduler. Returns its id, with which the client requests the result. */
export async function enqueueActionCall(
  { metadataDatabase }: Engine,
  { action }: ActionCall,
  { input, bindings, client }: ActionRequest & { client: Client },
) {
  const { forward_client_headers: forward } = action.metadata.definition
  const { pool } = metadataDatabase.of(bindings.session)
  const { rows } = await pool.query<{ id: string }>(ENQUEUE, [
    action.name,
    JSON.stringify(input),
    JSON.stringify(forward ? headersWithoutSecrets(client) : {}),
    JSON.stringify(Object.fromEntries(bindings.session.variables)),
  ])
  const { id } = requireValue(rows[0], 'the call that was just queued')
  return { text: JSON.stringify(id), cookies: [] }
}

/**
 * Reads the result of an asynchronous call; null if the call does not exist. Only admin can read calls of sessions with other
 * variables.
 */
export async function readActionResult(
  { metadataDatabase }: Engine,
  { action, fields }: ActionCall,
  { input, bindings, connectionsTo }: ActionRequest & { connectionsTo: ConnectionsTo },
) {
  const { session } = bindings
  const { pool } = metadataDatabase.of(session)
  const { rows } = await pool.query<ResultRow>(RESULT, [
    action.name,
    input.id,
    session.role === ADMIN ? null : JSON.stringify(Object.fromEntries(session.variables)),
  ])
  const [row] = rows
  const result = row && {
    ...row,
    output: outputRows(row.output === null ? null : parseExactJson(row.output), fields),
  }
  const text = await fillPlaceholders(connectionsTo, renderRow(result, fields), bindings)
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
  errors - 'internal' as errors, response_payload::text as output
from hdb_catalog.hdb_action_log
where action_name = $1 and id = $2 and ($3::jsonb is null or session_variables = $3)`

/**
 * Converts the handler's response to columns of a row, as Hasura does. If the output is an object, and there is no response
 * yet, all its columns are null. A list in a column becomes its JSON text.
 */
function outputRows(value: unknown, fields: readonly OutputField[] | null): unknown {
  const output = fields?.find((field) => field.kind === 'value' && field.name === 'output')
  if (output?.kind !== 'value' || output.fields === null) return value
  const columns = output.fields.flatMap((field) => (field.kind === 'value' ? [field] : []))
  const row = (object: unknown) => {
    const cells = columns.map(({ name, type }) => [
      name,
      cellValue(memberAt(object, name), isListType(type)),
    ])
    return { ...(isRecord(object) ? object : {}), ...Object.fromEntries(cells) }
  }
  if (isListType(output.type)) return isList(value) ? value.map(row) : []
  return row(value)
}

function cellValue(value: unknown, isOfList: boolean): unknown {
  return isOfList && isList(value) ? jsonbText(value) : (value ?? null)
}

function isListType(type: TypeRef): boolean {
  return type.kind === 'required' ? isListType(type.of) : type.kind === 'list'
}

/** Writes a list of scalars as PostgreSQL writes the type jsonb: with a space after each comma. */
function jsonbText(items: readonly unknown[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
}

/** Returns the client's headers to store for the handler, without the admin secret and session variables. */
function headersWithoutSecrets({ headers }: Client) {
  const headerEntries = Object.entries(forwardedHeaders(clientHeaders(headers)))
  return Object.fromEntries(headerEntries.filter(([name]) => !name.startsWith('x-hasura-')))
}

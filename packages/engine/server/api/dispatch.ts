import { z } from 'zod'
import { ownValue } from '../../json/own-value.ts'
import { parseArgs } from '../../metadata-store/edit/parse-args.ts'
import { type Audience, renderMetadataError, toEngineError } from '../../session/render-error.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { requireAdmin } from './admin-endpoint.ts'
import { CommandRequest, type RunCommand } from './command.ts'
import {
  otherDatabaseError,
  unknownCommandError,
  withCommandHint,
  withPathPrefix,
} from './command-errors.ts'

/** An endpoint's commands by type. `endpoint` chooses the wording and the paths of errors. */
type EndpointCommands = {
  types: ReadonlyMap<string, RunCommand>
  endpoint: 'sql' | 'metadata'
}

/**
 * Runs a command, which may be a list of commands (`bulk`).
 *
 * @throws parse-failed if `body` is not a command, access-denied for every role except admin
 */
export async function dispatchCommand(
  body: unknown,
  call: AuthenticatedRequest,
  commands: EndpointCommands,
): Promise<unknown> {
  const request = readCommand(body, commands)
  requireAdmin(call.session, '$.args')
  const settle = ownValue(BULK_COMMANDS, request.type)
  if (settle) return runBulk(request, settle, { call, commands })
  const type = request.type.replace(/^postgres_/, 'pg_')
  const run = commands.types.get(type)
  if (!run) throw otherDatabaseError(request, commands.endpoint)
  try {
    return await run(request, call)
  } catch (thrown) {
    throw withCommandHint(type, thrown)
  }
}

/**
 * Reads a command, and throws if its type is unknown. Also reads the commands of a list: as in Hasura, an unknown type rejects
 * the whole list before its first command runs.
 */
function readCommand(body: unknown, commands: EndpointCommands): CommandRequest {
  const request = parseArgs(CommandRequest, body, '$')
  const isBulk = ownValue(BULK_COMMANDS, request.type) !== undefined
  if (!isBulk && !isKnown(request.type, commands.types))
    throw unknownCommandError(request.type, commands.endpoint)
  if (!isBulk) return request
  for (const [i, item] of parseArgs(z.array(z.unknown()), request.args).entries())
    try {
      readCommand(item, commands)
    } catch (thrown) {
      throw withPathPrefix(placeOf(i, commands), thrown)
    }
  return request
}

/** Reports whether the command exists. Commands for other kinds of databases count, too. */
function isKnown(type: string, types: EndpointCommands['types']): boolean {
  const [, otherKind, command] =
    /^(?:postgres|(citus|cockroach|mssql|bigquery))_(.*)$/.exec(type) ?? []
  if (command === undefined) return types.has(type)
  return types.has(`pg_${command}`) || (otherKind !== undefined && types.has(command))
}

/** Runs a list of commands in order. */
async function runBulk(
  { args }: CommandRequest,
  settle: Settle,
  { call, commands }: { call: AuthenticatedRequest; commands: EndpointCommands },
) {
  const audience = { session: call.session, config: call.services.engine.config }
  const results: unknown[] = []
  for (const [i, item] of parseArgs(z.array(z.unknown()), args).entries())
    results.push(
      await settle(dispatchCommand(item, call, commands), placeOf(i, commands), audience),
    )
  return results
}

/** Returns the JSONPath of a command in a list. Hasura uses another path on `/v2/query`. */
function placeOf(i: number, { endpoint }: EndpointCommands): string {
  return endpoint === 'sql' ? `$[${i}]` : `$.args[${i}]`
}

/** Handles the result or the failure of one command in a list. `place` is the command's JSONPath. */
type Settle = (result: Promise<unknown>, place: string, audience: Audience) => Promise<unknown>

const failAtPlace: Settle = (result, place) =>
  result.catch((thrown: unknown) => {
    throw withPathPrefix(place, thrown)
  })

/** The commands that run a list of commands, and how each handles a failure in it. */
const BULK_COMMANDS: Readonly<Record<string, Settle>> = {
  bulk: failAtPlace,
  // The engine runs these commands in order. Hasura runs them at the same time, but allows only statements that read, so the
  // results are the same.
  concurrent_bulk: failAtPlace,
  bulk_keep_going: (result, _place, audience) =>
    result.catch((thrown: unknown) => renderMetadataError(toEngineError(thrown), audience)),
}

import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { ownValue } from '../json/own-value.ts'
import { type Audience, renderMetadataError, toEngineError } from '../session/render-error.ts'
import { requireAdmin } from './admin-endpoint.ts'
import { CommandRequest, type RunCommand } from './command.ts'
import { unknownCommandError, withCommandHint, withPathPrefix } from './command-errors.ts'

/** An endpoint's commands by type, and how it calls others unknown. */
type EndpointCommands = {
  types: ReadonlyMap<string, RunCommand>
  endpoint: 'sql' | 'metadata'
}

/**
 * Carries out a command, which may be a list of commands (`bulk`).
 *
 * @throws parse-failed for what is not a command, access-denied for anybody but admin
 */
export async function dispatchCommand(
  body: unknown,
  call: AuthenticatedRequest,
  commands: EndpointCommands,
): Promise<unknown> {
  const request = parseArgs(CommandRequest, body, '$')
  const run = commands.types.get(request.type)
  const settle = ownValue(BULK_COMMANDS, request.type)
  if (!run && !settle) throw unknownCommandError(request.type, commands.endpoint)
  requireAdmin(call.session, '$.args')
  if (run) {
    try {
      return await run(request, call)
    } catch (thrown) {
      throw withCommandHint(request.type, thrown)
    }
  }
  const results: unknown[] = []
  for (const [i, item] of parseArgs(z.array(z.unknown()), request.args).entries()) {
    const audience = { session: call.session, config: call.services.engine.config }
    const result = dispatchCommand(item, call, commands)
    // Hasura names places in a list of statements in another way.
    const place = commands.endpoint === 'sql' ? `$[${i}]` : `$.args[${i}]`
    results.push(await settle?.(result, place, audience))
  }
  return results
}

/** What a failed command makes of the whole; `place` is that of the command in the list. */
type Settle = (result: Promise<unknown>, place: string, audience: Audience) => Promise<unknown>

const failAtPlace: Settle = (result, place) =>
  result.catch((thrown: unknown) => {
    throw withPathPrefix(place, thrown)
  })

/** The commands that run a list of commands, and what each does when one of them fails. */
const BULK_COMMANDS: Readonly<Record<string, Settle>> = {
  bulk: failAtPlace,
  // One after another is enough: Hasura allows only reading statements here, so their order does not matter.
  concurrent_bulk: failAtPlace,
  bulk_keep_going: (result, _place, audience) =>
    result.catch((thrown: unknown) => renderMetadataError(toEngineError(thrown), audience)),
}

import { authenticatedEndpoint } from '../http/authenticated-endpoint.ts'
import { type Endpoint, jsonReply } from '../http/endpoint.ts'
import { metadataErrorReply } from './admin-endpoint.ts'
import { applyEdit } from './apply-edit.ts'
import type { Command, RunCommand } from './command.ts'
import { sqlCommands } from './commands/run-sql.ts'
import { metadataCommands } from './commands.ts'
import { dispatchCommand } from './dispatch.ts'

/** POST /v1/metadata */
export const metadataEndpoint = commandEndpoint(byType(metadataCommands), 'metadata')

/** POST /v2/query */
export const queryEndpoint = commandEndpoint(byType(sqlCommands), 'sql')

/** POST /v1/query, for older clients: all commands of the other two endpoints, with or without the prefix `pg_`. */
export const legacyEndpoint = commandEndpoint(
  new Map(
    [...byType([...sqlCommands, ...metadataCommands])].flatMap(([type, run]) => [
      [type, run] as const,
      [type.replace(/^pg_/, ''), run] as const,
    ]),
  ),
  'metadata',
)

function byType(commands: readonly Command[]): ReadonlyMap<string, RunCommand> {
  return new Map(commands.map((command) => [command.type, runOf(command)]))
}

function runOf(command: Command): RunCommand {
  if ('run' in command) return command.run
  const { apply = applyEdit } = command
  return (request, call) => apply(command, request, call)
}

function commandEndpoint(
  types: ReadonlyMap<string, RunCommand>,
  endpoint: 'sql' | 'metadata',
): Endpoint {
  const commands = { types, endpoint }
  return authenticatedEndpoint({
    answer: async (call) =>
      jsonReply(JSON.stringify(await dispatchCommand(call.body, call, commands))),
    renderFailure: metadataErrorReply,
  })
}

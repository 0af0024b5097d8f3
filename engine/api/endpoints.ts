import { authenticatedEndpoint } from '../http/authenticated-endpoint.ts'
import { type Endpoint, jsonReply } from '../http/endpoint.ts'
import { type Carry, dispatch, refuse } from './command.ts'
import { metadataCommands } from './metadata-commands.ts'
import { runSql } from './run-sql.ts'

/** POST /v1/metadata */
export const metadataEndpoint = commands(metadataCommands)

const runningSql: ReadonlyMap<string, Carry> = new Map([
  ['run_sql', runSql],
  ['pg_run_sql', runSql],
])

/** POST /v2/query */
export const queryEndpoint = commands(runningSql)

/** POST /v1/query, for older clients: the commands of both other endpoints, without the prefix `pg_`. */
export const legacyEndpoint = commands(
  new Map([
    ...runningSql,
    ...[...metadataCommands].flatMap(([type, carry]): [string, Carry][] => [
      [type, carry],
      [type.replace(/^pg_/, ''), (command, call) => carry({ ...command, type }, call)],
    ]),
  ]),
)

function commands(table: ReadonlyMap<string, Carry>): Endpoint {
  return authenticatedEndpoint({
    answer: async (call) => jsonReply(JSON.stringify(await dispatch(call.body, call, table))),
    renderFailure: refuse,
  })
}

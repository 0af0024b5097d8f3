import type { EngineError } from '../errors.ts'
import { type Endpoint, failure, json, type Reply } from '../http/exchange.ts'
import { guarded } from '../http/guarded.ts'
import { type Audience, metadataError } from '../render-error.ts'
import { type Carry, dispatch } from './command.ts'
import { metadataCommands } from './metadata-commands.ts'
import { runSql } from './run-sql.ts'

/** POST /v1/metadata */
export const metadataEndpoint = commands(metadataCommands)

/** POST /v2/query */
export const queryEndpoint = commands(
  new Map([
    ['run_sql', runSql],
    ['pg_run_sql', runSql],
  ]),
)

function commands(table: ReadonlyMap<string, Carry>): Endpoint {
  return guarded({
    answer: async (call) => json(JSON.stringify(await dispatch(call.body, call, table))),
    refuse,
  })
}

function refuse(error: EngineError, audience: Audience): Reply {
  return failure(error.status, JSON.stringify(metadataError(error, audience)))
}

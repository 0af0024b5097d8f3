import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { type Command, SUCCESS } from './command.ts'

/**
 * `get_catalog_state`: what the CLI and the console have
 * stored, such as the versions of applied migrations.
 */
export async function catalogState(
  _command: Command,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { rows } = await engine.pool.query(
    'select hasura_uuid as id, cli_state, console_state from hdb_catalog.hdb_version',
  )
  return rows[0] ?? {}
}

const STATEMENTS = {
  cli: 'update hdb_catalog.hdb_version set cli_state = $1',
  console: 'update hdb_catalog.hdb_version set console_state = $1',
}

const Args = z.object({
  type: z.enum(['cli', 'console']),
  state: z.record(z.string(), z.unknown()),
})

/** `set_catalog_state` */
export async function setCatalogState(
  { args }: Command,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { type, state } = parseArgs(Args, args)
  await engine.pool.query(STATEMENTS[type], [JSON.stringify(state)])
  return SUCCESS
}

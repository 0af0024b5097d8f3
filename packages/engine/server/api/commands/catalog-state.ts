import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { type Command, type CommandRequest, SUCCESS } from '../command.ts'

/** Commands on the state that Hasura's CLI and console store, such as the versions of applied migrations. */
export const catalogStateCommands: readonly Command[] = [
  { type: 'get_catalog_state', run: getCatalogState },
  { type: 'set_catalog_state', run: setCatalogState },
]

type CatalogState = { id: string; cli_state: unknown; console_state: unknown }

async function getCatalogState(
  _request: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { rows } = await engine.metadataDatabase.pool.query<CatalogState>(
    'select hasura_uuid as id, cli_state, console_state from hdb_catalog.hdb_version',
  )
  return requireValue(rows[0], 'the row of hdb_version')
}

const UPDATES = {
  cli: 'update hdb_catalog.hdb_version set cli_state = $1',
  console: 'update hdb_catalog.hdb_version set console_state = $1',
}

const NewState = z.object({
  type: z.enum(['cli', 'console']),
  state: z.record(z.string(), z.unknown()),
})

async function setCatalogState(
  { args }: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { type, state } = parseArgs(NewState, args)
  await engine.metadataDatabase.pool.query(UPDATES[type], [JSON.stringify(state)])
  return SUCCESS
}

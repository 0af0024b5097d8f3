import { addEntry, dropEntry, pickArgs } from '../../../metadata-store/edit/edits.ts'
import { restEndpoints } from '../../../metadata-store/edit/places.ts'
import type { Command } from '../command.ts'

/** Commands on REST endpoints. */
export const restEndpointCommands: readonly Command[] = [
  {
    type: 'create_rest_endpoint',
    edit: addEntry(restEndpoints, pickArgs('name', 'url', 'methods', 'definition', 'comment')),
    createdType: 'rest_endpoint',
  },
  { type: 'drop_rest_endpoint', edit: dropEntry(restEndpoints) },
]

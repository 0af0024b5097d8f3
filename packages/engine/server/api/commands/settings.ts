import { Introspection } from '../../../metadata/metadata.ts'
import { removePart, setPart } from '../../../metadata-store/edit/edits.ts'
import type { Command } from '../command.ts'

/** Commands on settings of the whole engine. */
export const settingCommands: readonly Command[] = [
  {
    type: 'set_graphql_schema_introspection_options',
    edit: setPart('graphql_schema_introspection', Introspection),
  },
  { type: 'set_api_limits', edit: setPart('api_limits') },
  { type: 'remove_api_limits', edit: removePart('api_limits') },
  { type: 'set_metrics_config', edit: setPart('metrics_config') },
  { type: 'remove_metrics_config', edit: removePart('metrics_config') },
]

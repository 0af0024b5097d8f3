import { bulkAtomic } from './bulk-atomic.ts'
import type { Command } from './command.ts'
import { actionCommands } from './commands/actions.ts'
import { catalogStateCommands } from './commands/catalog-state.ts'
import { computedFieldCommands } from './commands/computed-fields.ts'
import { cronTriggerCommands } from './commands/cron-triggers.ts'
import { eventLogCommands } from './commands/event-logs.ts'
import { eventTriggerCommands } from './commands/event-triggers.ts'
import { functionCommands } from './commands/functions.ts'
import { inheritedRoleCommands } from './commands/inherited-roles.ts'
import { wholeMetadataCommands } from './commands/metadata.ts'
import { nativeQueryCommands } from './commands/native-queries.ts'
import { permissionCommands } from './commands/permissions.ts'
import { queryCollectionCommands } from './commands/query-collections.ts'
import { relationshipCommands } from './commands/relationships.ts'
import { remoteRelationshipCommands } from './commands/remote/remote-relationships.ts'
import { remoteSchemaCommands } from './commands/remote/remote-schemas.ts'
import { restEndpointCommands } from './commands/rest-endpoints.ts'
import { scheduledEventCommands } from './commands/scheduled-events.ts'
import { settingCommands } from './commands/settings.ts'
import { sourceCommands } from './commands/sources.ts'
import { tableCommands } from './commands/tables.ts'
import { webhookTransformCommands } from './commands/webhook-transforms.ts'

const subjectCommands: readonly Command[] = [
  ...wholeMetadataCommands,
  ...catalogStateCommands,
  ...sourceCommands,
  ...tableCommands,
  ...functionCommands,
  ...relationshipCommands,
  ...remoteRelationshipCommands,
  ...remoteSchemaCommands,
  ...permissionCommands,
  ...computedFieldCommands,
  ...nativeQueryCommands,
  ...actionCommands,
  ...eventTriggerCommands,
  ...eventLogCommands,
  ...cronTriggerCommands,
  ...scheduledEventCommands,
  ...webhookTransformCommands,
  ...queryCollectionCommands,
  ...restEndpointCommands,
  ...inheritedRoleCommands,
  ...settingCommands,
]

/** All commands of the metadata API, except the `bulk` commands of `dispatch.ts`. */
export const metadataCommands: readonly Command[] = [
  ...subjectCommands,
  { type: 'bulk_atomic', run: bulkAtomic(subjectCommands) },
]

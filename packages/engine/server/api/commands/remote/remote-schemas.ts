import { z } from 'zod'
import { parseExactJson } from '../../../../../../lib/runtime/exact-json.ts'
import { Inconsistent } from '../../../../compiler/model/inconsistency.ts'
import { readIntrospection } from '../../../../compiler/model/remote/introspected-types.ts'
import type { Config } from '../../../../config/config.ts'
import { EngineError } from '../../../../errors.ts'
import {
  RemoteSchemaDefinition,
  RemoteSchemaPermission,
} from '../../../../metadata/remote-schemas.ts'
import {
  addEntry,
  dropEntry,
  inSequence,
  pickArgs,
  updateEntry,
} from '../../../../metadata-store/edit/edits.ts'
import { findEntry } from '../../../../metadata-store/edit/entries.ts'
import { parseArgs } from '../../../../metadata-store/edit/parse-args.ts'
import { remoteSchemas } from '../../../../metadata-store/edit/places.ts'
import {
  dropEmptyTypes,
  remoteSchemaPermissions,
  typeRelationships,
} from '../../../../metadata-store/edit/remote-places.ts'
import { missingVariablesMessage } from '../../../../outgoing/environment.ts'
import { introspectionText } from '../../../../runtime/remote/introspections.ts'
import type { AuthenticatedRequest } from '../../../http/authenticated-endpoint.ts'
import type { EngineServices } from '../../../http/endpoint.ts'
import { applyDrop } from '../../apply-edit.ts'
import { type Command, type CommandRequest, requireVersion, SUCCESS } from '../../command.ts'

const relationshipEntry = pickArgs('name', 'definition')

/** Commands on remote schemas, their permissions, and the relationships of their types. */
export const remoteSchemaCommands: readonly Command[] = [
  {
    type: 'add_remote_schema',
    edit: addEntry(remoteSchemas, pickArgs('name', 'definition', 'comment', 'permissions')),
    check: requireAnswer,
    createdType: 'remote_schema',
  },
  {
    type: 'update_remote_schema',
    edit: updateEntry(remoteSchemas, pickArgs('name', 'definition', 'comment')),
    check: requireAnswer,
    createdType: 'remote_schema',
  },
  { type: 'remove_remote_schema', edit: dropEntry(remoteSchemas), apply: applyDrop },
  { type: 'reload_remote_schema', run: reloadRemoteSchema },
  { type: 'introspect_remote_schema', run: introspectRemoteSchema },
  {
    type: 'add_remote_schema_permissions',
    edit: addEntry(remoteSchemaPermissions, pickArgs('role', 'definition', 'comment')),
    check: requirePermissions,
    createdType: 'remote_schema_permission',
  },
  { type: 'drop_remote_schema_permissions', edit: dropEntry(remoteSchemaPermissions) },
  {
    type: 'create_remote_schema_remote_relationship',
    edit: addEntry(typeRelationships, relationshipEntry),
    createdType: 'remote_schema_remote_relationship',
  },
  {
    type: 'update_remote_schema_remote_relationship',
    edit: updateEntry(typeRelationships, relationshipEntry),
    createdType: 'remote_schema_remote_relationship',
  },
  {
    type: 'delete_remote_schema_remote_relationship',
    edit: inSequence(dropEntry(typeRelationships), dropEmptyTypes),
  },
]

const DefinitionArgs = z.object({ definition: RemoteSchemaDefinition })

/** Requests the schema of a new or changed server. @throws remote-schema-error if the server does not answer with a schema */
async function requireAnswer(args: unknown, { engine }: EngineServices) {
  const { definition } = parseArgs(DefinitionArgs, args)
  requireVariables(definition, engine.config)
  try {
    readIntrospection(parseExactJson(await introspectionText({ definition }, engine.config)))
  } catch (cause) {
    throw remoteSchemaError(cause)
  }
}

/** @throws invalid-params if the definition refers to an environment variable that is not set */
function requireVariables(
  { url, url_from_env, headers }: z.infer<typeof RemoteSchemaDefinition>,
  { environment }: Config,
) {
  const webhook = { address: url, fromEnv: url_from_env, headers: headers ?? [] }
  const message = missingVariablesMessage(webhook, environment)
  if (message !== null) throw new EngineError('invalid-params', message, { path: '$.args' })
}

function remoteSchemaError(cause: unknown): unknown {
  if (!(cause instanceof Inconsistent) && !(cause instanceof SyntaxError)) return cause
  return new EngineError('remote-schema-error', cause.message, { path: '$.args', cause })
}

/** Like Hasura, rejects permissions of remote schemas unless the setting that makes them effective is on. */
function requirePermissions(args: unknown, { engine }: EngineServices) {
  parseArgs(RemoteSchemaPermission.extend({ remote_schema: z.string() }), args)
  if (engine.config.enableRemoteSchemaPermissions) return
  throw new EngineError(
    'constraint-violation',
    'remote schema permissions can only be added when "remote schema permissions" is enabled in the graphql-engine',
    { path: '$.args' },
  )
}

const NameArgs = z.object({ name: z.string() })

/** `reload_remote_schema`: requests the remote server's schema again. */
async function reloadRemoteSchema(
  { args, resource_version }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const { name } = parseArgs(NameArgs, args)
  const { document, resourceVersion } = store.current()
  findEntry(remoteSchemas(structuredClone(document), args), name)
  requireVersion(resource_version, resourceVersion)
  const inconsistencies = await engine.reload([name])
  await store.touch()
  const fault = inconsistencies.find(
    (one) => one.type === 'remote_schema' && one.name === `remote_schema ${name}`,
  )
  if (!fault) return SUCCESS
  throw new EngineError('remote-schema-error', fault.reason, { path: '$.args' })
}

/** `introspect_remote_schema`: requests the introspection from the remote server, and returns it. */
async function introspectRemoteSchema(
  { args }: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { name } = parseArgs(NameArgs, args)
  const schema = engine.schemaCache().metadata.remote_schemas.find((one) => one.name === name)
  if (!schema)
    throw new EngineError('not-found', `remote schema: "${name}" not found`, {
      path: '$.args',
      status: 400,
    })
  try {
    return parseExactJson(await introspectionText(schema, engine.config))
  } catch (cause) {
    throw remoteSchemaError(cause)
  }
}

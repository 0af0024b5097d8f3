import { keyOf } from '../catalog.ts'
import type { ActionMetadata, CustomTypesMetadata, Metadata } from '../metadata/metadata.ts'
import { withHeirs } from './functions.ts'
import { Inconsistent, type Report } from './inconsistency.ts'
import type { Action, ActionRelationship, CustomTypes, ModelSettings, Table } from './model.ts'
import { isGraphQLName } from './tables.ts'

export type ActionsInput = {
  metadata: Metadata
  tables: ReadonlyMap<string, Table>
  settings: ModelSettings
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  errors: Report
}

/** Resolves actions and the types that they alone use. */
export function resolveActions(input: ActionsInput): {
  actions: Action[]
  customTypes: CustomTypes
} {
  const { metadata, errors } = input
  const actions = metadata.actions.flatMap((action) => {
    const subject = { type: 'action', name: `action ${action.name}`, definition: action }
    return errors.attempt(subject, () => resolve(action, input)) ?? []
  })
  const subject = { type: 'custom_types', name: 'custom_types', definition: metadata.custom_types }
  const relationships = new Map(
    metadata.custom_types.objects.map((object) => {
      const given = object.relationships ?? []
      const found = given.flatMap(
        (relationship) =>
          errors.attempt(subject, () => relationshipOf(relationship, object.name, input.tables)) ??
          [],
      )
      return [object.name, found]
    }),
  )
  return { actions, customTypes: { metadata: metadata.custom_types, relationships } }
}

function resolve(metadata: ActionMetadata, { settings, inheritedRoles }: ActionsInput): Action {
  const { name, definition } = metadata
  if (!isGraphQLName(name)) throw new Inconsistent(`"${name}" is not a valid name in GraphQL`)
  if (definition.output_type == null)
    throw new Inconsistent(`the action "${name}" has no output type`)
  for (const [, variable = ''] of definition.handler.matchAll(/\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g))
    if (settings.environment[variable] === undefined)
      throw new Inconsistent(`environment variables not set: ["${variable}"]`)
  for (const { value_from_env: variable } of definition.headers)
    if (variable != null && settings.environment[variable] === undefined)
      throw new Inconsistent(`environment variable '${variable}' not set`)
  return {
    name,
    type: definition.type ?? (definition.kind === '' ? 'query' : 'mutation'),
    asynchronous: definition.kind === 'asynchronous',
    metadata,
    roles: withHeirs(
      metadata.permissions.map(({ role }) => role),
      inheritedRoles,
    ),
  }
}

type RelationshipMetadata = NonNullable<
  CustomTypesMetadata['objects'][number]['relationships']
>[number]

function relationshipOf(
  metadata: RelationshipMetadata,
  object: string,
  tables: ReadonlyMap<string, Table>,
): ActionRelationship {
  const remote = tables.get(keyOf(metadata.remote_table))
  if (!remote)
    throw new Inconsistent(
      `the relationship "${metadata.name}" of "${object}" refers to a table that is not tracked: "${keyOf(metadata.remote_table)}"`,
    )
  const mapping = Object.entries(metadata.field_mapping).map(([field, name]) => {
    const column = [...remote.columns.values()].find((candidate) => candidate.name === name)
    if (!column)
      throw new Inconsistent(`column "${name}" does not exist in table "${keyOf(remote)}"`)
    return { field, column }
  })
  return {
    name: metadata.name,
    kind: metadata.type,
    description: metadata.description ?? null,
    remote,
    mapping,
  }
}

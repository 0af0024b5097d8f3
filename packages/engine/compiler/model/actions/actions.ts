import { quotedNames } from '../../../json/quoted-names.ts'
import type { ActionMetadata } from '../../../metadata/actions.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import { missingVariablesMessage } from '../../../outgoing/environment.ts'
import { requestTransform } from '../../../outgoing/transform/request-transform.ts'
import { responseTransform } from '../../../outgoing/transform/response-transform.ts'
import { withInheritingRoles } from '../functions/functions.ts'
import { type InconsistencyReport, Inconsistent, readPart } from '../inconsistency.ts'
import type { Action, CustomTypes, ModelSettings } from '../model.ts'
import {
  CHANGING_ROOTS,
  namesInRoots,
  READING_ROOTS,
  type Root,
  type RootNames,
} from '../root-names.ts'
import { isGraphQLName } from '../tables/tables.ts'
import { baseTypeName, type TypeNames } from './custom-types.ts'

export type ActionsInput = {
  metadata: Metadata
  customTypes: CustomTypes
  types: TypeNames
  typesAreConsistent: boolean
  settings: ModelSettings
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  names: RootNames
  errors: InconsistencyReport
}

export function resolveActions(input: ActionsInput): Action[] {
  const { metadata, names, errors } = input
  return metadata.actions.flatMap((action) => {
    const subject = { type: 'action', name: `action ${action.name}`, definition: action }
    const result = errors.attempt(subject, () => {
      if (!input.typesAreConsistent) throw new Inconsistent('custom types are inconsistent')
      const resolvedAction = withActionName(action, () => resolveAction(action, input))
      names.reserve(subject.name, namesInRoots(actionRoots(resolvedAction), [resolvedAction.name]))
      return resolvedAction
    })
    return result ?? []
  })
}

function withActionName<T>({ name }: ActionMetadata, act: () => T): T {
  try {
    return act()
  } catch (cause) {
    if (!(cause instanceof Inconsistent)) throw cause
    throw new Inconsistent(`in action "${name}"; ${cause.message}`, { cause })
  }
}

function resolveAction(metadata: ActionMetadata, input: ActionsInput): Action {
  const { name, definition, permissions } = metadata
  if (!isGraphQLName(name)) throw new Inconsistent(`"${name}" is not a valid name in GraphQL`)
  checkActionTypes(metadata, input.types)
  checkActionEnvironment(metadata, input.settings)
  checkActionTransforms(metadata)
  const type = definition.type ?? (definition.kind === '' ? 'query' : 'mutation')
  const asynchronous = type === 'mutation' && definition.kind === 'asynchronous'
  checkActionRelationships(metadata, asynchronous, input.customTypes)
  return {
    name,
    type,
    asynchronous,
    metadata,
    roles: withInheritingRoles(
      permissions.map(({ role }) => role),
      input.inheritedRoles,
    ),
  }
}

function checkActionTypes({ definition }: ActionMetadata, types: TypeNames) {
  for (const { type } of definition.arguments)
    if (!types.input(baseTypeName(type)))
      throw new Inconsistent(
        `the type: "${baseTypeName(type)}" is not defined in custom types or it is not a scalar/enum/input_object`,
      )
  const output = baseTypeName(definition.output_type)
  if (!types.output(output))
    throw new Inconsistent(
      `the type: "${output}" is not an object or scalar type defined in custom types`,
    )
}

/**
 * Checks that no relationship joins on a field that contains a nested object. The result of an asynchronous action may
 * not have both relationships and such fields.
 */
function checkActionRelationships(
  { definition }: ActionMetadata,
  asynchronous: boolean,
  { metadata, relationships }: CustomTypes,
) {
  const name = baseTypeName(definition.output_type)
  const related = relationships.get(name) ?? []
  const objects = new Set(metadata.objects.map((object) => object.name))
  const output = metadata.objects.find((object) => object.name === name)
  const nestedFields = (output?.fields ?? [])
    .filter(({ type }) => objects.has(baseTypeName(type)))
    .map((field) => field.name)
  if (asynchronous && related.length > 0 && nestedFields.length > 0)
    throw new Inconsistent(
      `Async action relations cannot be used with object fields: ${quotedNames(nestedFields)}`,
    )
  const unjoinable = related.filter(({ mapping }) =>
    mapping.some(({ field }) => nestedFields.includes(field)),
  )
  if (unjoinable.length > 0)
    throw new Inconsistent(
      `Relationships cannot be defined with nested object fields: ${quotedNames(unjoinable.map((relationship) => relationship.name))}`,
    )
}

/**
 * Checks that the environment variables in the handler's address are set. If a variable of a header is not set, the
 * action is still served, but each call of it fails, as in Hasura.
 */
function checkActionEnvironment({ definition }: ActionMetadata, { environment }: ModelSettings) {
  const problem = missingVariablesMessage({ address: definition.handler, headers: [] }, environment)
  if (problem !== null) throw new Inconsistent(problem)
}

function checkActionTransforms({ definition }: ActionMetadata) {
  const { request_transform, response_transform } = definition
  readPart('request_transform', () => request_transform && requestTransform(request_transform))
  readPart('response_transform', () => response_transform && responseTransform(response_transform))
}

/**
 * Returns the roots that have a field with the action's name. An asynchronous action also has fields in the query and
 * subscription roots, which return its result.
 */
function actionRoots({ type, asynchronous }: Action): readonly Root[] {
  if (type === 'query') return ['query_root']
  return asynchronous ? [...CHANGING_ROOTS, ...READING_ROOTS] : CHANGING_ROOTS
}

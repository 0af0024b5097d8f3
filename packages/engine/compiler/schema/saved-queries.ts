import {
  type FragmentDefinitionNode,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { quotedNames } from '../../json/quoted-names.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import { ADMIN } from '../../session/session.ts'
import { createReport, type Inconsistency, Inconsistent } from '../model/inconsistency.ts'
import type { Model } from '../model/model.ts'
import { namedType, type ObjectType } from './graphql-types.ts'
import { type RoleSchema, roleSchema } from './role-schema.ts'

/** Returns an inconsistency for each saved query with a root or a field that not even admin has. */
export function invalidQueries(model: Model): readonly Inconsistency[] {
  const { metadata } = model
  if (metadata.query_collections.length === 0) return []
  const schema = roleSchema(model, ADMIN, true)
  const errors = createReport()
  for (const { name: collection, definition } of metadata.query_collections)
    for (const query of definition.queries) {
      const subject = {
        type: SAVED_QUERY,
        name: savedQueryName(collection, query.name),
        definition: query,
      }
      errors.attempt(subject, () => {
        const problems = queryProblems(query.query, schema)
        if (problems.length > 0)
          throw new Inconsistent(
            `In query collection "${collection}" the query "${query.name}" is invalid with the following error(s): ${quotedNames(problems)}${usedByText(metadata, collection, query.name)}`,
          )
      })
    }
  return errors.inconsistencies
}

/** The `type` of a saved query in the list of inconsistent objects. */
export const SAVED_QUERY = 'query_collections'

/** Returns the `name` of a saved query in the list of inconsistent objects. */
export function savedQueryName(collection: unknown, query: unknown): string {
  return `${SAVED_QUERY} ${query} in ${collection}`
}

function usedByText({ rest_endpoints }: Metadata, collection: string, query: string): string {
  const users = rest_endpoints
    .filter(({ definition }) => definition.query.collection_name === collection)
    .filter(({ definition }) => definition.query.query_name === query)
    .map(({ name }) => name)
  return users.length > 0
    ? `. This query is being used in the following REST endpoint(s): ${quotedNames(users)}`
    : ''
}

function queryProblems(text: string, { query, mutation, subscription }: RoleSchema): string[] {
  const document = parse(text)
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  )
  const roots = {
    [OperationTypeNode.QUERY]: query,
    [OperationTypeNode.MUTATION]: mutation,
    [OperationTypeNode.SUBSCRIPTION]: subscription,
  }
  return document.definitions.flatMap((node) => {
    if (node.kind !== Kind.OPERATION_DEFINITION) return []
    const root = roots[node.operation]
    if (!root) return [`$: no ${node.operation}s exist`]
    return unknownFields(node.selectionSet, {
      type: root,
      path: '$',
      fragments,
      enclosingFragments: [],
    })
  })
}

type Place = {
  type: ObjectType
  path: string
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The fragments around this place. A fragment inside itself is not visited again. */
  enclosingFragments: readonly string[]
}

function unknownFields({ selections }: SelectionSetNode, place: Place): string[] {
  const { type, path, fragments, enclosingFragments } = place
  return selections.flatMap((selection): string[] => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return unknownFields(selection.selectionSet, place)
    const name = selection.name.value
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = enclosingFragments.includes(name) ? undefined : fragments.get(name)
      return fragment
        ? unknownFields(fragment.selectionSet, {
            ...place,
            enclosingFragments: [...enclosingFragments, name],
          })
        : []
    }
    if (name.startsWith('__')) return []
    const field = type.fields().get(name)
    if (!field) return [`${path}.${name}: field '${name}' not found in object '${type.name}'`]
    const fieldType = namedType(field.type)
    if (fieldType.kind !== 'object' || !selection.selectionSet) return []
    return unknownFields(selection.selectionSet, {
      ...place,
      type: fieldType,
      path: `${path}.${name}`,
    })
  })
}

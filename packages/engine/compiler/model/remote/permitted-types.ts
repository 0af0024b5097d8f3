import { GraphQLError } from 'graphql/error/index.js'
import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  parse,
  type TypeDefinitionNode,
  type TypeNode,
} from 'graphql/language/index.js'
import { Inconsistent } from '../inconsistency.ts'
import type {
  RemoteField,
  RemoteFields,
  RemoteInput,
  RemoteInputs,
  RemoteRoot,
  RemoteType,
  RemoteTypeRef,
  RemoteTypes,
} from '../remote-types.ts'
import { requireComplete } from './introspected-types.ts'
import { presetOf } from './preset.ts'
import { requirePart } from './required-part.ts'

/**
 * Reads the part of a remote schema that a role may use.
 *
 * @param sdl GraphQL's schema language, with `@preset` for values that the engine sends
 * @throws Inconsistent if the text is not valid, or not a part of the whole schema
 */
export function readPermittedTypes(sdl: string, allTypes: RemoteTypes): RemoteTypes {
  const document = parseSchema(sdl)
  const entries = document.definitions.flatMap((node) => {
    const type = readDefinition(node)
    return type ? [[type.name, type] as const] : []
  })
  const types = withMembers(new Map(entries))
  const duplicate = entries.find(
    ([name], i) => entries.findIndex(([otherName]) => otherName === name) < i,
  )
  if (duplicate) throw new Inconsistent(`type definition of "${duplicate[0]}" is repeated`)
  const permittedTypes = { roots: readRoots(document, allTypes), types }
  if (permittedTypes.roots.query === null) throw new Inconsistent('query root is missing')
  requirePart(permittedTypes, allTypes)
  requireComplete(permittedTypes)
  return permittedTypes
}

function parseSchema(sdl: string): DocumentNode {
  try {
    return parse(sdl, { noLocation: true })
  } catch (cause) {
    if (!(cause instanceof GraphQLError)) throw cause
    throw new Inconsistent(`the permission's schema cannot be read: ${cause.message}`, { cause })
  }
}

/**
 * Returns the root types that `schema { … }` names. If there is no `schema { … }`, returns the types with the default
 * names: `Query`, `Mutation` and `Subscription`.
 */
function readRoots({ definitions }: DocumentNode, allTypes: RemoteTypes): RemoteTypes['roots'] {
  const schema = definitions.find((node) => node.kind === Kind.SCHEMA_DEFINITION)
  const root = (operation: RemoteRoot, defaultName: string) => {
    const rootType = schema?.operationTypes.find(
      (operationType) => operationType.operation === operation,
    )
    if (schema) return requireRoot(rootType?.type.name.value ?? null, allTypes.roots[operation])
    const exists = definitions.some(
      (node) => node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === defaultName,
    )
    return exists ? requireRoot(defaultName, allTypes.roots[operation]) : null
  }
  return {
    query: root('query', 'Query'),
    mutation: root('mutation', 'Mutation'),
    subscription: root('subscription', 'Subscription'),
  }
}

function requireRoot(root: string | null, expected: string | null): string | null {
  if (root === null || root === expected) return root
  throw new Inconsistent(`the remote schema has no root "${root}"`)
}

function readDefinition(node: DocumentNode['definitions'][number]): RemoteType | null {
  switch (node.kind) {
    case Kind.SCHEMA_DEFINITION:
    case Kind.DIRECTIVE_DEFINITION:
      return null
    case Kind.SCALAR_TYPE_DEFINITION:
      return { ...nameAndDescription(node), kind: 'scalar' }
    case Kind.ENUM_TYPE_DEFINITION:
      return {
        ...nameAndDescription(node),
        kind: 'enum',
        values: (node.values ?? []).map(nameAndDescription),
      }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return { ...nameAndDescription(node), kind: 'input', fields: readInputs(node.fields) }
    case Kind.OBJECT_TYPE_DEFINITION: {
      const interfaces = (node.interfaces ?? []).map(({ name }) => name.value)
      return {
        ...nameAndDescription(node),
        kind: 'object',
        fields: readFieldNodes(node.fields),
        interfaces,
      }
    }
    case Kind.INTERFACE_TYPE_DEFINITION:
      return {
        ...nameAndDescription(node),
        kind: 'interface',
        fields: readFieldNodes(node.fields),
        members: [],
      }
    case Kind.UNION_TYPE_DEFINITION: {
      const members = (node.types ?? []).map(({ name }) => name.value)
      return { ...nameAndDescription(node), kind: 'union', members }
    }
    default:
      throw new Inconsistent('the permission may only contain definitions of types')
  }
}

type DescribedNode = Pick<TypeDefinitionNode | FieldDefinitionNode, 'name' | 'description'>

function nameAndDescription({ name, description }: DescribedNode) {
  return { name: name.value, description: description?.value ?? null }
}

function readFieldNodes(nodes: readonly FieldDefinitionNode[] = []): RemoteFields {
  return new Map(
    nodes.map((node): [string, RemoteField] => [
      node.name.value,
      { ...nameAndDescription(node), type: readType(node.type), args: readInputs(node.arguments) },
    ]),
  )
}

function readInputs(nodes: readonly InputValueDefinitionNode[] = []): RemoteInputs {
  return new Map(
    nodes.map((node): [string, RemoteInput] => [
      node.name.value,
      {
        ...nameAndDescription(node),
        type: readType(node.type),
        defaultValue: node.defaultValue ?? null,
        preset: presetOf(node),
      },
    ]),
  )
}

function readType(node: TypeNode): RemoteTypeRef {
  if (node.kind === Kind.NON_NULL_TYPE) return { kind: 'required', of: readType(node.type) }
  if (node.kind === Kind.LIST_TYPE) return { kind: 'list', of: readType(node.type) }
  return { kind: 'named', name: node.name.value }
}

/** Fills in the object types that implement each interface. */
function withMembers(types: ReadonlyMap<string, RemoteType>): ReadonlyMap<string, RemoteType> {
  const objects = [...types.values()].filter((type) => type.kind === 'object')
  const membersOf = (name: string) =>
    objects.filter(({ interfaces }) => interfaces.includes(name)).map((object) => object.name)
  return new Map(
    [...types].map(([name, type]) => [
      name,
      type.kind === 'interface' ? { ...type, members: membersOf(name) } : type,
    ]),
  )
}

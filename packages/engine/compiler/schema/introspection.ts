import {
  astFromValue,
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLEnumType,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLNamedOutputType,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  parseValue,
  valueFromASTUntyped,
} from 'graphql'
import { ownValue } from '../../json/own-value.ts'
import type {
  AbstractType,
  EnumType,
  InputField,
  InputType,
  NamedType,
  ObjectType,
  TypeRef,
} from './graphql-types.ts'
import type { RoleSchema } from './role-schema.ts'

/** Converts a role's schema to graphql-js's form, for introspection only. */
export function toGraphQLSchema({ query, mutation, subscription }: RoleSchema): GraphQLSchema {
  const { convert, implementations } = typeConverter()
  const roots = {
    query: convert(query),
    ...(mutation && { mutation: convert(mutation) }),
    ...(subscription && { subscription: convert(subscription) }),
    directives: [INCLUDE, SKIP, CACHED],
    assumeValid: true,
  }
  // The types that implement an interface are only known after its fields have been converted, and may have further
  // interfaces.
  let types: readonly GraphQLNamedType[] = []
  for (;;) {
    const { types: knownTypes } = new GraphQLSchema({ ...roots, types }).toConfig()
    const all = new Set([...knownTypes, ...implementations()])
    if (all.size === knownTypes.length)
      return new GraphQLSchema({ ...roots, types: sortedByName(knownTypes) })
    types = [...all]
  }
}

/** Sorts by the codes of the characters, the order of introspection: `B`, `_a`, `a`, `a10`, `a2`. */
function sortedByName<T extends { name: string }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const INCLUDE = inclusionDirective('include', 'whether this query should be included')
const SKIP = inclusionDirective('skip', 'whether this query should be skipped')

function inclusionDirective(name: string, description: string): GraphQLDirective {
  const { FIELD, FRAGMENT_SPREAD, INLINE_FRAGMENT } = DirectiveLocation
  return new GraphQLDirective({
    name,
    description,
    locations: [FIELD, FRAGMENT_SPREAD, INLINE_FRAGMENT],
    args: { if: { type: new GraphQLNonNull(GraphQLBoolean) } },
  })
}

const CACHED = new GraphQLDirective({
  name: 'cached',
  description: 'whether this query should be cached (Hasura Cloud only)',
  locations: [DirectiveLocation.QUERY],
  args: {
    ttl: {
      type: new GraphQLNonNull(GraphQLInt),
      defaultValue: 60,
      description: 'measured in seconds',
    },
    refresh: {
      type: new GraphQLNonNull(GraphQLBoolean),
      defaultValue: false,
      description: 'refresh the cache entry',
    },
  },
})

const SPECIFIED: Readonly<Record<string, GraphQLScalarType>> = {
  Int: GraphQLInt,
  Float: GraphQLFloat,
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  ID: GraphQLID,
}

/**
 * Creates a function that converts each type once; the fields of a type are converted on first use. Also creates a
 * function that returns the members of all interfaces and unions that were converted so far.
 */
function typeConverter() {
  // The key is the name, because several remote schemas may have the same type.
  const objects = new Map<string, GraphQLObjectType>()
  const abstract = new Map<string, GraphQLInterfaceType | GraphQLUnionType>()
  const members = new Set<ObjectType>()
  const inputs = new Map<string, GraphQLNamedInputType>()

  function object(type: ObjectType): GraphQLObjectType {
    const { name, description, interfaces, remote } = type
    const cachedType = objects.get(name)
    if (cachedType) return cachedType
    const objectType = new GraphQLObjectType({
      name,
      description,
      fields: () => fields(type),
      interfaces: () =>
        [...(interfaces?.() ?? []), ...(remote?.abstract() ?? [])].flatMap(interfaceOf),
    })
    objects.set(name, objectType)
    return objectType
  }
  function interfaceOf(type: AbstractType): GraphQLInterfaceType[] {
    const converted = abstractType(type)
    return converted instanceof GraphQLInterfaceType ? [converted] : []
  }
  function abstractType(type: AbstractType): GraphQLInterfaceType | GraphQLUnionType {
    const { kind, name, description } = type
    const cachedType = abstract.get(name)
    if (cachedType) return cachedType
    const converted =
      kind === 'union'
        ? new GraphQLUnionType({ name, description, types: () => type.members().map(object) })
        : new GraphQLInterfaceType({ name, description, fields: () => fields(type) })
    abstract.set(name, converted)
    for (const member of type.members()) members.add(member)
    return converted
  }
  function fields(type: ObjectType | AbstractType): GraphQLFieldConfigMap<unknown, unknown> {
    const all = sortedByName(type.fields().values()).map((field) => {
      const { description } = field
      return [
        field.name,
        { type: output(field.type), description, args: args(field.args) },
      ] as const
    })
    return Object.fromEntries(all)
  }
  function args(fields: ReadonlyMap<string, InputField>) {
    const all = sortedByName(fields.values()).map(({ name, description, type, defaultText }) => {
      const inputType = input(type)
      return [name, { type: inputType, description, ...defaultOf(defaultText, inputType) }] as const
    })
    return Object.fromEntries(all)
  }
  function output(type: TypeRef): GraphQLOutputType {
    if (type.kind === 'list') return new GraphQLList(output(type.of))
    if (type.kind !== 'required') return namedOutput(type)
    return type.of.kind === 'list'
      ? new GraphQLNonNull(new GraphQLList(output(type.of.of)))
      : requiredOutput(type.of)
  }
  function requiredOutput(type: TypeRef): GraphQLOutputType {
    return type.kind === 'required' || type.kind === 'list'
      ? output(type)
      : new GraphQLNonNull(namedOutput(type))
  }
  function namedOutput(type: NamedType): GraphQLNamedOutputType {
    if (type.kind === 'object') return object(type)
    if (type.kind === 'interface' || type.kind === 'union') return abstractType(type)
    const leaf = namedInput(type)
    if (leaf instanceof GraphQLInputObjectType)
      throw new Error(`${type.name} is not an output type`)
    return leaf
  }
  function input(type: TypeRef): GraphQLInputType {
    if (type.kind === 'list') return new GraphQLList(input(type.of))
    if (type.kind !== 'required') return namedInput(type)
    return type.of.kind === 'list'
      ? new GraphQLNonNull(new GraphQLList(input(type.of.of)))
      : requiredInput(type.of)
  }
  function requiredInput(type: TypeRef): GraphQLInputType {
    return type.kind === 'required' || type.kind === 'list'
      ? input(type)
      : new GraphQLNonNull(namedInput(type))
  }
  function namedInput(type: NamedType): GraphQLNamedInputType {
    const cachedType = inputs.get(type.name)
    if (cachedType) return cachedType
    const inputType = leaf(type)
    inputs.set(type.name, inputType)
    return inputType
  }
  function leaf(type: NamedType): GraphQLNamedInputType {
    if (type.kind === 'enum') return toGraphQLEnum(type)
    if (type.kind === 'input') return inputObject(type)
    const { name, description } = type
    return ownValue(SPECIFIED, name) ?? new GraphQLScalarType({ name, description })
  }
  function inputObject({ name, description, fields }: InputType): GraphQLInputObjectType {
    return new GraphQLInputObjectType({ name, description, fields: () => args(fields()) })
  }
  return { convert: object, implementations: () => [...members].map(object) }
}

/**
 * Returns a default value for introspection. Returns none if graphql-js cannot print it, for example a value of a
 * custom scalar.
 */
function defaultOf(text: string | null, type: GraphQLInputType): { defaultValue?: unknown } {
  if (text === null) return {}
  const defaultValue = valueFromASTUntyped(parseValue(text))
  try {
    astFromValue(defaultValue, type)
  } catch {
    return {}
  }
  return { defaultValue }
}

function toGraphQLEnum({ name, description, values }: EnumType): GraphQLEnumType {
  const all = sortedByName(values).map(
    (value) => [value.name, { description: value.description }] as const,
  )
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(all) })
}

import {
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
  GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLNamedOutputType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import { ownValue } from '../json/own-value.ts'
import type {
  EnumType,
  InputField,
  InputType,
  NamedType,
  ObjectType,
  TypeRef,
} from './graphql-types.ts'
import type { RoleSchema } from './role-schema.ts'

/** Converts a role's schema to graphql-js's form, which is used for introspection only. */
export function toGraphQLSchema({ query, mutation, subscription }: RoleSchema): GraphQLSchema {
  const convert = typeConverter()
  const config = new GraphQLSchema({
    query: convert(query),
    ...(mutation && { mutation: convert(mutation) }),
    ...(subscription && { subscription: convert(subscription) }),
    directives: [INCLUDE, SKIP, CACHED],
    assumeValid: true,
  }).toConfig()
  return new GraphQLSchema({ ...config, types: sortedByName(config.types) })
}

/** In the order of introspection, which is that of the characters' codes: `B`, `_a`, `a`, `a10`, `a2`. */
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

/** Makes a function that converts each type once; fields are converted when they are first needed. */
function typeConverter(): (type: ObjectType) => GraphQLObjectType {
  const objects = new Map<ObjectType, GraphQLObjectType>()
  const inputs = new Map<NamedType, GraphQLNamedInputType>()

  function object(type: ObjectType): GraphQLObjectType {
    const known = objects.get(type)
    if (known) return known
    const { name, description } = type
    const made = new GraphQLObjectType({ name, description, fields: () => fields(type) })
    objects.set(type, made)
    return made
  }
  function fields(type: ObjectType): GraphQLFieldConfigMap<unknown, unknown> {
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
      const defaults = defaultText === '[]' ? { defaultValue: [] } : {}
      return [name, { type: input(type), description, ...defaults }] as const
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
    const known = inputs.get(type)
    if (known) return known
    const made = leaf(type)
    inputs.set(type, made)
    return made
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
  return object
}

function toGraphQLEnum({ name, description, values }: EnumType): GraphQLEnumType {
  const all = sortedByName(values).map(
    (value) => [value.name, { description: value.description }] as const,
  )
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(all) })
}

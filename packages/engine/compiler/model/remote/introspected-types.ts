import { type ConstValueNode, parseConstValue } from 'graphql/language/index.js'
import { z } from 'zod'
import { Inconsistent } from '../inconsistency.ts'
import {
  BUILT_IN_SCALARS,
  type RemoteField,
  type RemoteInput,
  type RemoteType,
  type RemoteTypeRef,
  type RemoteTypes,
  remoteTypeName,
} from '../remote-types.ts'

/** The introspection query, which asks a remote server for its types. */
export const INTROSPECTION_QUERY = `query IntrospectionQuery {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    types {
      kind name description
      fields(includeDeprecated: true) { name description args { ...Input } type { ...Ref } }
      inputFields { ...Input }
      interfaces { name }
      enumValues(includeDeprecated: true) { name description }
      possibleTypes { name }
    }
  }
}
fragment Input on __InputValue { name description type { ...Ref } defaultValue }
fragment Ref on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
  ofType { kind name ofType { kind name ofType { kind name } } } } } } }
}`

/** A name in a remote schema. It must be a valid GraphQL name, because the engine writes it into GraphQL documents. */
const Name = z.string().regex(/^[_A-Za-z]\w*$/)
const NamedType = z.object({ name: Name })
const NullableText = z
  .string()
  .nullish()
  .transform((text) => text ?? null)

type Ref = { kind: string; name?: string | null | undefined; ofType?: Ref | null | undefined }
const Ref: z.ZodType<Ref> = z.object({
  kind: z.string(),
  name: Name.nullish(),
  ofType: z.lazy(() => Ref).nullish(),
})

const Input = z.object({
  name: Name,
  description: NullableText,
  type: Ref,
  defaultValue: NullableText,
})
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? [])

const Type = z.object({
  kind: z.string(),
  name: Name,
  description: NullableText,
  fields: list(z.object({ name: Name, description: NullableText, args: list(Input), type: Ref })),
  inputFields: list(Input),
  interfaces: list(NamedType),
  enumValues: list(z.object({ name: Name, description: NullableText })),
  possibleTypes: list(NamedType),
})

const Introspection = z.object({
  data: z.object({
    __schema: z.object({
      queryType: NamedType,
      mutationType: NamedType.nullish(),
      subscriptionType: NamedType.nullish(),
      types: z.array(Type),
    }),
  }),
})

/**
 * Reads a server's response to the introspection query.
 *
 * @throws Inconsistent if the response is not a schema
 */
export function readIntrospection(answer: unknown): RemoteTypes {
  const introspection = Introspection.safeParse(answer)
  if (!introspection.success) {
    const reason = z.prettifyError(introspection.error)
    throw new Inconsistent(`Remote schema introspection query failed: ${reason}`)
  }
  const { queryType, mutationType, subscriptionType, types } = introspection.data.data.__schema
  const remoteTypes: RemoteTypes = {
    roots: {
      query: queryType.name,
      mutation: mutationType?.name ?? null,
      subscription: subscriptionType?.name ?? null,
    },
    types: new Map(
      types.filter(({ name }) => !name.startsWith('__')).map((type) => [type.name, readType(type)]),
    ),
  }
  requireComplete(remoteTypes)
  return remoteTypes
}

function readType(introspectedType: z.output<typeof Type>): RemoteType {
  const { kind, name, description } = introspectedType
  const base = { name, description }
  const members = introspectedType.possibleTypes.map((type) => type.name)
  const fields = new Map(introspectedType.fields.map((field) => [field.name, readField(field)]))
  switch (kind) {
    case 'SCALAR':
      return { ...base, kind: 'scalar' }
    case 'ENUM':
      return { ...base, kind: 'enum', values: introspectedType.enumValues }
    case 'INPUT_OBJECT':
      return { ...base, kind: 'input', fields: readInputs(introspectedType.inputFields) }
    case 'OBJECT':
      return {
        ...base,
        kind: 'object',
        fields,
        interfaces: introspectedType.interfaces.map((i) => i.name),
      }
    case 'INTERFACE':
      return { ...base, kind: 'interface', fields, members }
    case 'UNION':
      return { ...base, kind: 'union', members }
    default:
      throw new Inconsistent(`the type "${name}" is of an unknown kind: ${kind}`)
  }
}

function readField(field: z.output<typeof Type>['fields'][number]): RemoteField {
  const { name, description } = field
  return { name, description, type: readRef(field.type), args: readInputs(field.args) }
}

function readInputs(
  inputValues: readonly z.output<typeof Input>[],
): ReadonlyMap<string, RemoteInput> {
  const inputs = inputValues.map(({ name, description, type, defaultValue }) => ({
    name,
    description,
    type: readRef(type),
    defaultValue: readDefault(name, defaultValue),
    preset: null,
  }))
  return new Map(inputs.map((input) => [input.name, input]))
}

function readDefault(name: string, text: string | null): ConstValueNode | null {
  if (text === null) return null
  try {
    return parseConstValue(text, { noLocation: true })
  } catch (cause) {
    throw new Inconsistent(`the default of "${name}" cannot be read`, { cause })
  }
}

function readRef({ kind, name, ofType }: Ref): RemoteTypeRef {
  if (kind === 'NON_NULL' && ofType) return { kind: 'required', of: readRef(ofType) }
  if (kind === 'LIST' && ofType) return { kind: 'list', of: readRef(ofType) }
  if (typeof name === 'string') return { kind: 'named', name }
  throw new Inconsistent('a type of the remote schema cannot be read: it is nested too deeply')
}

/** Rejects a schema that refers to types that it does not have, or to types of the wrong kind. */
export function requireComplete({ roots, types }: RemoteTypes): void {
  const requireKind = (name: string, kinds: readonly RemoteType['kind'][]) => {
    const kind = BUILT_IN_SCALARS.has(name) ? 'scalar' : types.get(name)?.kind
    if (kind === undefined || !kinds.includes(kind))
      throw new Inconsistent(`Could not find type with name "${name}" of kind ${kinds.join(', ')}`)
  }
  for (const root of Object.values(roots)) if (root !== null) requireKind(root, ['object'])
  const checkInputs = (inputs: ReadonlyMap<string, RemoteInput>) => {
    for (const { type } of inputs.values()) requireKind(remoteTypeName(type), INPUTS)
  }
  for (const type of types.values()) {
    if (type.kind === 'input') checkInputs(type.fields)
    if ('members' in type) for (const member of type.members) requireKind(member, ['object'])
    if (type.kind === 'object') for (const name of type.interfaces) requireKind(name, ['interface'])
    if (type.kind !== 'object' && type.kind !== 'interface') continue
    for (const field of type.fields.values()) {
      requireKind(remoteTypeName(field.type), OUTPUTS)
      checkInputs(field.args)
    }
  }
}

const INPUTS = ['scalar', 'enum', 'input'] as const
const OUTPUTS = ['scalar', 'enum', 'object', 'interface', 'union'] as const

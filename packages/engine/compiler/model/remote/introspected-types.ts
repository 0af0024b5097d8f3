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

/** What a remote server is asked about itself. */
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

/** A name of a remote schema, which becomes a part of documents. */
const Name = z.string().regex(/^[_A-Za-z]\w*$/)
const Named = z.object({ name: Name })
const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? null)

type Ref = { kind: string; name?: string | null | undefined; ofType?: Ref | null | undefined }
const Ref: z.ZodType<Ref> = z.object({
  kind: z.string(),
  name: Name.nullish(),
  ofType: z.lazy(() => Ref).nullish(),
})

const Input = z.object({ name: Name, description: Text, type: Ref, defaultValue: Text })
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? [])

const Type = z.object({
  kind: z.string(),
  name: Name,
  description: Text,
  fields: list(z.object({ name: Name, description: Text, args: list(Input), type: Ref })),
  inputFields: list(Input),
  interfaces: list(Named),
  enumValues: list(z.object({ name: Name, description: Text })),
  possibleTypes: list(Named),
})

const Introspection = z.object({
  data: z.object({
    __schema: z.object({
      queryType: Named,
      mutationType: Named.nullish(),
      subscriptionType: Named.nullish(),
      types: z.array(Type),
    }),
  }),
})

/**
 * Reads a server's answer to the introspection query.
 *
 * @throws Inconsistent if it is no schema
 */
export function introspectedTypes(answer: unknown): RemoteTypes {
  const read = Introspection.safeParse(answer)
  if (!read.success) {
    const reason = z.prettifyError(read.error)
    throw new Inconsistent(`Remote schema introspection query failed: ${reason}`)
  }
  const { queryType, mutationType, subscriptionType, types } = read.data.data.__schema
  const found: RemoteTypes = {
    roots: {
      query: queryType.name,
      mutation: mutationType?.name ?? null,
      subscription: subscriptionType?.name ?? null,
    },
    types: new Map(
      types.filter(({ name }) => !name.startsWith('__')).map((type) => [type.name, readType(type)]),
    ),
  }
  requireComplete(found)
  return found
}

function readType(given: z.output<typeof Type>): RemoteType {
  const { kind, name, description } = given
  const base = { name, description }
  const members = given.possibleTypes.map((type) => type.name)
  const fields = new Map(given.fields.map((field) => [field.name, readField(field)]))
  switch (kind) {
    case 'SCALAR':
      return { ...base, kind: 'scalar' }
    case 'ENUM':
      return { ...base, kind: 'enum', values: given.enumValues }
    case 'INPUT_OBJECT':
      return { ...base, kind: 'input', fields: readInputs(given.inputFields) }
    case 'OBJECT':
      return { ...base, kind: 'object', fields, interfaces: given.interfaces.map((i) => i.name) }
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

function readInputs(given: readonly z.output<typeof Input>[]): ReadonlyMap<string, RemoteInput> {
  const inputs = given.map(({ name, description, type, defaultValue }) => ({
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

/** Refuses a schema that names types which it does not have, or of the wrong kind. */
export function requireComplete({ roots, types }: RemoteTypes): void {
  const has = (name: string, kinds: readonly RemoteType['kind'][]) => {
    const kind = BUILT_IN_SCALARS.has(name) ? 'scalar' : types.get(name)?.kind
    if (kind === undefined || !kinds.includes(kind))
      throw new Inconsistent(`Could not find type with name "${name}" of kind ${kinds.join(', ')}`)
  }
  for (const root of Object.values(roots)) if (root !== null) has(root, ['object'])
  const checkInputs = (inputs: ReadonlyMap<string, RemoteInput>) => {
    for (const { type } of inputs.values()) has(remoteTypeName(type), INPUTS)
  }
  for (const type of types.values()) {
    if (type.kind === 'input') checkInputs(type.fields)
    if ('members' in type) for (const member of type.members) has(member, ['object'])
    if (type.kind === 'object') for (const name of type.interfaces) has(name, ['interface'])
    if (type.kind !== 'object' && type.kind !== 'interface') continue
    for (const field of type.fields.values()) {
      has(remoteTypeName(field.type), OUTPUTS)
      checkInputs(field.args)
    }
  }
}

const INPUTS = ['scalar', 'enum', 'input'] as const
const OUTPUTS = ['scalar', 'enum', 'object', 'interface', 'union'] as const

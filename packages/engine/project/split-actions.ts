import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  parseType,
  print,
  type StringValueNode,
} from 'graphql/language/index.js'
import { z } from 'zod'

/**
 * Splits the metadata's `actions` and `custom_types` like Hasura's command line: signatures and types in GraphQL's schema
 * language, the rest as YAML. `metadata/folder/merge-actions.ts` joins them.
 */
export function splitActions(actions: unknown, customTypes: unknown) {
  const list = Actions.parse(actions)
  const types = CustomTypes.parse(customTypes)
  const definitions = [
    ...rootType('Mutation', list, ({ definition }) => definition.type !== 'query'),
    ...rootType('Query', list, ({ definition }) => definition.type === 'query'),
    ...types.input_objects.map(inputType),
    ...types.objects.map(objectType),
    ...types.enums.map(enumType),
    ...types.scalars.map(scalarType),
  ]
  const graphql = definitions.map((definition) => `${print(definition)}\n`).join('\n')
  return { graphql, yaml: { actions: list.map(withoutSignature), custom_types: extrasOf(types) } }
}

const Field = z.looseObject({
  name: z.string(),
  type: z.string(),
  description: z.string().nullish(),
})
type Field = z.infer<typeof Field>

const Action = z.looseObject({
  name: z.string(),
  definition: z.looseObject({
    type: z.string().nullish(),
    arguments: z.array(Field).nullish(),
    output_type: z.string().nullish(),
  }),
})
type Action = z.infer<typeof Action>

const Actions = list(Action)

const Type = z.looseObject({ name: z.string(), description: z.string().nullish() })
type Type = z.infer<typeof Type>
const TypeWithFields = Type.extend({ fields: z.array(Field) })
const Enum = Type.extend({
  values: z.array(z.looseObject({ value: z.string(), description: z.string().nullish() })),
})

const NONE = { objects: [], input_objects: [], enums: [], scalars: [] }
const CustomTypes = z
  .looseObject({
    objects: list(TypeWithFields),
    input_objects: list(TypeWithFields),
    enums: list(Enum),
    scalars: list(Type),
  })
  .nullish()
  .transform((types) => types ?? NONE)

/** A list that may be missing. */
function list<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? [])
}

function rootType(
  name: string,
  actions: readonly Action[],
  isIn: (action: Action) => boolean,
): DefinitionNode[] {
  const fields = actions.filter(isIn).map((action) => ({
    ...field({ name: action.name, type: action.definition.output_type ?? 'Boolean' }),
    arguments: (action.definition.arguments ?? []).map(inputValue),
  }))
  return fields.length > 0
    ? [{ kind: Kind.OBJECT_TYPE_DEFINITION, name: nameNode(name), fields }]
    : []
}

function objectType({ name, description, fields }: z.infer<typeof TypeWithFields>): DefinitionNode {
  return {
    kind: Kind.OBJECT_TYPE_DEFINITION,
    ...describeName(name, description),
    fields: fields.map(field),
  }
}

function inputType({ name, description, fields }: z.infer<typeof TypeWithFields>): DefinitionNode {
  return {
    kind: Kind.INPUT_OBJECT_TYPE_DEFINITION,
    ...describeName(name, description),
    fields: fields.map(inputValue),
  }
}

function enumType({ name, description, values }: z.infer<typeof Enum>): DefinitionNode {
  return {
    kind: Kind.ENUM_TYPE_DEFINITION,
    ...describeName(name, description),
    values: values.map(({ value, description: about }) => ({
      kind: Kind.ENUM_VALUE_DEFINITION,
      ...describeName(value, about),
    })),
  }
}

function scalarType({ name, description }: Type): DefinitionNode {
  return { kind: Kind.SCALAR_TYPE_DEFINITION, ...describeName(name, description) }
}

function field({ name, type, description }: Field): FieldDefinitionNode {
  return { kind: Kind.FIELD_DEFINITION, ...describeName(name, description), type: parseType(type) }
}

function inputValue({ name, type, description }: Field): InputValueDefinitionNode {
  return {
    kind: Kind.INPUT_VALUE_DEFINITION,
    ...describeName(name, description),
    type: parseType(type),
  }
}

type NamedNode = {
  name: NameNode
  description?: StringValueNode
  directives: readonly ConstDirectiveNode[]
}

function describeName(name: string, description: string | null | undefined): NamedNode {
  const node = { name: nameNode(name), directives: [] }
  if (description == null) return node
  return { ...node, description: { kind: Kind.STRING, value: description } }
}

function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value }
}

/** Returns the action's entry in actions.yaml, without its signature, which is in actions.graphql. */
function withoutSignature({ definition, ...action }: Action) {
  const { type: _type, arguments: _arguments, output_type: _output, ...rest } = definition
  return { ...action, definition: rest }
}

/** Returns the part of the types that actions.yaml has: their names, and the relationships of objects. */
function extrasOf({ objects, input_objects, enums, scalars }: z.infer<typeof CustomTypes>) {
  const names = (types: readonly Type[]) => types.map(({ name }) => ({ name }))
  return {
    enums: names(enums),
    input_objects: names(input_objects),
    objects: objects.map(({ description: _description, fields: _fields, ...rest }) => rest),
    scalars: names(scalars),
  }
}

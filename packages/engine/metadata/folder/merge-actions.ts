import {
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  print,
} from 'graphql/language/index.js'
import { z } from 'zod'
import { ownValue } from '../../json/own-value.ts'

/**
 * Merges `actions.yaml` (handlers, permissions, relationships) with `actions.graphql` (arguments and types). Hasura's
 * command line splits the API's `actions` and `custom_types` into these two files.
 */
export function mergeActions(yaml: unknown, sdl: string | null) {
  const { actions, custom_types } = ActionsFile.parse(yaml ?? {})
  if (sdl === null || sdl.trim() === '') return { actions, custom_types }
  const document = parse(sdl)
  const objects = document.definitions.filter(isObjectType)
  const signatures = actionSignatures(objects)
  const extras = new Map(
    Object.values(custom_types)
      .flat()
      .map((type) => [type.name, type]),
  )
  return {
    actions: actions.map((action) => ({
      ...action,
      definition: { ...action.definition, ...signatures.get(action.name) },
    })),
    custom_types: {
      objects: objects
        .filter(({ name }) => ownValue(ROOTS, name.value) === undefined)
        .map((type) => ({
          ...extras.get(type.name.value),
          ...typeDefinition(type),
          fields: type.fields?.map(fieldDefinition) ?? [],
        })),
      input_objects: document.definitions
        .filter((node) => node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
        .map((type) => ({
          ...typeDefinition(type),
          fields: type.fields?.map(fieldDefinition) ?? [],
        })),
      scalars: document.definitions
        .filter((node) => node.kind === Kind.SCALAR_TYPE_DEFINITION)
        .map(typeDefinition),
      enums: document.definitions
        .filter((node) => node.kind === Kind.ENUM_TYPE_DEFINITION)
        .map((type) => ({
          ...typeDefinition(type),
          values: type.values?.map(({ name, description }) => ({
            value: name.value,
            description: description?.value,
          })),
        })),
    },
  }
}

/** Returns the signature of each action, by the name of the action. Actions are the fields of the root types. */
function actionSignatures(objects: readonly ObjectTypeNode[]) {
  return new Map(
    objects.flatMap(({ name, fields = [] }) => {
      const type = ownValue(ROOTS, name.value)
      return type
        ? fields.map((field) => [field.name.value, actionSignature(type, field)] as const)
        : []
    }),
  )
}

const NamedTypes = z.array(z.looseObject({ name: z.string() })).nullish()

const ActionsFile = z.object({
  actions: z
    .array(z.looseObject({ name: z.string(), definition: z.looseObject({}) }))
    .nullish()
    .transform((actions) => actions ?? []),
  custom_types: z
    .object({
      objects: NamedTypes,
      input_objects: NamedTypes,
      scalars: NamedTypes,
      enums: NamedTypes,
    })
    .partial()
    .nullish()
    .transform((types) => ({
      objects: types?.objects ?? [],
      input_objects: types?.input_objects ?? [],
      scalars: types?.scalars ?? [],
      enums: types?.enums ?? [],
    })),
})

const ROOTS: Readonly<Record<string, 'query' | 'mutation'>> = {
  Query: 'query',
  Mutation: 'mutation',
}

type ObjectTypeNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode

function isObjectType(node: { kind: Kind }): node is ObjectTypeNode {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION
}

function actionSignature(
  type: 'query' | 'mutation',
  { arguments: args = [], type: output }: FieldDefinitionNode,
) {
  return { type, arguments: args.map(fieldDefinition), output_type: print(output) }
}

function fieldDefinition({
  name,
  type,
  description,
}: FieldDefinitionNode | InputValueDefinitionNode) {
  return { name: name.value, type: print(type), description: description?.value }
}

function typeDefinition({
  name,
  description,
}: {
  name: { value: string }
  description?: { value: string } | undefined
}) {
  return { name: name.value, description: description?.value }
}

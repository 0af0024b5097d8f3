import {
  type GraphQLInputObjectType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql'
import { ownValue } from '../../../json/own-value.ts'

/** A schema of OpenAPI 3.0. */
export type JsonSchema = { readonly [key: string]: unknown }

/** The schemas of the values that clients send. Each object type is a named component, because it may contain itself. */
export type InputSchemas = {
  schemaOf(type: GraphQLType | undefined, isRequired: boolean): JsonSchema
  components(): Record<string, JsonSchema>
}

/** Creates an empty collection of schemas. `schemaOf` adds the components that it needs. */
export function createInputSchemas(): InputSchemas {
  const components = new Map<string, JsonSchema>()
  const schemaOf: InputSchemas['schemaOf'] = (type, isRequired) => {
    if (isNonNullType(type)) return schemaOf(type.ofType, true)
    const nullable = isRequired ? {} : { nullable: true }
    if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, false), ...nullable }
    if (!isInputObjectType(type)) return { ...leafSchema(type), ...nullable }
    const $ref = `#/components/schemas/${type.name}`
    addComponent(type)
    return isRequired ? { $ref } : { allOf: [{ $ref }], nullable: true }
  }
  function addComponent(type: GraphQLInputObjectType): void {
    if (components.has(type.name)) return
    // The component is set before its fields are described, because the fields may refer to this type.
    components.set(type.name, {})
    const fields = Object.values(type.getFields())
    const required = fields
      .filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
      .map(({ name }) => name)
    components.set(type.name, {
      type: 'object',
      ...(type.description && { description: type.description }),
      properties: Object.fromEntries(fields.map((one) => [one.name, schemaOf(one.type, false)])),
      ...(required.length > 0 && { required }),
    })
  }
  return { schemaOf, components: () => Object.fromEntries(components) }
}

/** Returns the schema of a scalar or enum. A scalar that `SCALARS` does not contain allows any JSON value. */
export function leafSchema(type: GraphQLType | undefined): JsonSchema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  if (!isScalarType(type)) return {}
  return ownValue(SCALARS, type.name) ?? { title: type.name }
}

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  String: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
}

import { isNumeral } from '../../../../lib/runtime/exact-json.ts'
import type { ObjectType, TypeRef } from '../../compiler/schema/graphql-types.ts'
import { ownValue } from '../../json/own-value.ts'
import { isRecord } from '../../json/record.ts'

/** The error for a handler's response that does not have the action's declared type. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput'
}

/**
 * Checks a handler's response against the declared type, also fields that are not selected. Like Hasura, requires the non-null
 * fields of objects, but does not check their values.
 *
 * @throws InvalidOutput
 */
export function validateOutput(type: TypeRef, value: unknown): void {
  if (type.kind === 'required') {
    if (value === null || value === undefined) {
      throw new InvalidOutput('got null for the action webhook response')
    }
    validateOutput(type.of, value)
    return
  }
  if (value === null || value === undefined) return
  if (type.kind === 'list') validateListOutput(type.of, value)
  if (type.kind === 'object') validateObjectOutput(type, value)
  if (type.kind === 'scalar') validateScalarOutput(type.name, value)
}

function validateListOutput(item: TypeRef, value: unknown) {
  if (!Array.isArray(value)) {
    throw new InvalidOutput('expecting array for the action webhook response')
  }
  const elements: readonly unknown[] = value
  for (const element of elements) validateOutput(item, element)
}

function validateObjectOutput(type: ObjectType, value: unknown) {
  if (!isRecord(value)) {
    throw new InvalidOutput(
      // Like Hasura, reports a number as a string here.
      `got ${jsonTypeName(isNumeral(value) ? '' : value)} for the action webhook response, expecting ${type.name}`,
    )
  }
  for (const { name, type: fieldType, meaning } of type.fields().values()) {
    if (meaning.kind === 'plain' && fieldType.kind === 'required') requireOutputField(name, value)
  }
}

function requireOutputField(name: string, object: Record<string, unknown>) {
  if (!Object.hasOwn(object, name))
    throw new InvalidOutput(`field "${name}" expected in webhook response, but not found`)
  if (object[name] === null) throw new InvalidOutput(`expecting not null value for field "${name}"`)
}

/** The checks for GraphQL's built-in scalars. Like Hasura, accepts any number as `Int`, and does not check other scalars. */
const SCALAR_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: isNumeral,
  Float: isNumeral,
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string',
}

function validateScalarOutput(name: string, value: unknown) {
  const isValid = ownValue(SCALAR_CHECKS, name)
  if (!isValid || isValid(value)) return
  throw new InvalidOutput(
    `got ${jsonTypeName(value)} for the action webhook response, expecting ${name}`,
  )
}

function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (isRecord(value)) return 'object'
  const name = isNumeral(value) ? 'number' : typeof value
  return `scalar ${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

import { isNumeral } from '../../lib/exact-json.ts'
import { own } from '../json/own.ts'
import { isRecord } from '../json/record.ts'
import type { ObjectType, TypeRef } from '../schema/graphql-types.ts'

/** A handler's answer is not of the type that the action declares. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'
}

/**
 * Checks a handler's answer against the declared type, whichever fields are selected. It checks as much as
 * Hasura: an object must have its non-null fields, but their values are not looked at.
 *
 * @throws WrongAnswer
 */
export function validate(type: TypeRef, value: unknown): void {
  if (type.kind === 'required') {
    if (value === null || value === undefined) {
      throw new WrongAnswer('got null for the action webhook response')
    }
    validate(type.of, value)
    return
  }
  if (value === null || value === undefined) return
  if (type.kind === 'list') validateList(type.of, value)
  if (type.kind === 'object') validateObject(type, value)
  if (type.kind === 'scalar') validateScalar(type.name, value)
}

function validateList(item: TypeRef, value: unknown) {
  if (!Array.isArray(value)) {
    throw new WrongAnswer('expecting array for the action webhook response')
  }
  for (const element of value) validate(item, element)
}

function validateObject(type: ObjectType, value: unknown) {
  if (!isRecord(value)) {
    throw new WrongAnswer(
      `got ${nameOf(value)} for the action webhook response, expecting ${type.name}`,
    )
  }
  for (const { name, type: fieldType, meaning } of type.fields().values()) {
    if (meaning.kind === 'plain' && fieldType.kind === 'required') requireField(name, value)
  }
}

function requireField(name: string, object: Record<string, unknown>) {
  if (!Object.hasOwn(object, name))
    throw new WrongAnswer(`field "${name}" expected in webhook response, but not found`)
  if (object[name] === null) throw new WrongAnswer(`expecting not null value for field "${name}"`)
}

/**
 * Checks for GraphQL's own scalars (as in Hasura, any number is an `Int`);
 * values of others are not checked.
 */
const TAKES: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: isNumeral,
  Float: isNumeral,
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string',
}

function validateScalar(name: string, value: unknown) {
  const takes = own(TAKES, name)
  if (!takes || takes(value)) return
  throw new WrongAnswer(`got ${nameOf(value)} for the action webhook response, expecting ${name}`)
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (isRecord(value)) return 'object'
  const name = isNumeral(value) ? 'number' : typeof value
  return `scalar ${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

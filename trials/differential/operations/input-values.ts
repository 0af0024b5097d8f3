import fc from 'fast-check'
import {
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import type { RandomWorld } from '../worlds/world.ts'
import { graphqlLiteral } from './graphql-literal.ts'

/** A value of an argument, as a literal in a document and as JSON in variables. */
export type InputValue = { literal: string; json: unknown }

type Values = RandomWorld['values']

const NULL: InputValue = { literal: 'null', json: null }

/** Generates values of a type from the values of the rows. One in two hundred is chosen without regard to the type. */
export function inputValues(
  type: GraphQLInputType,
  values: Values,
  depth: number,
): fc.Arbitrary<InputValue> {
  return fc.oneof(
    { weight: 199, arbitrary: fittingValues(type, values, depth) },
    { weight: 1, arbitrary: fc.constantFrom(NULL, ...WRONG_VALUES) },
  )
}

const WRONG_VALUES: readonly InputValue[] = [
  { literal: '"x"', json: 'x' },
  { literal: '-1', json: -1 },
  { literal: '1.5', json: 1.5 },
  { literal: '[]', json: [] },
  { literal: '{nope: 1}', json: { nope: 1 } },
  { literal: 'true', json: true },
]

function fittingValues(
  type: GraphQLInputType,
  values: Values,
  depth: number,
): fc.Arbitrary<InputValue> {
  if (isNonNullType(type)) return fittingValues(type.ofType, values, depth)
  if (isListType(type))
    return fc.array(inputValues(type.ofType, values, depth), { maxLength: 2 }).map(listOf)
  if (isEnumType(type))
    return fc.constantFrom(...type.getValues()).map(({ name }) => ({ literal: name, json: name }))
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    return randomFields(type.name, fields, depth)
      .chain((inputFields) =>
        fc.tuple(
          ...inputFields.map((field) =>
            inputValues(field.type, values, depth - 1).map((value): [string, InputValue] => [
              field.name,
              value,
            ]),
          ),
        ),
      )
      .map(objectOf)
  }
  return scalarValues(type.name, values)
}

/** Chooses the fields of an input object: one or two conditions or operators, but at least half of a row's columns. */
function randomFields(
  name: string,
  fields: readonly GraphQLInputField[],
  depth: number,
): fc.Arbitrary<GraphQLInputField[]> {
  const required = fields.filter(isRequiredInputField)
  const optional = fields.filter((field) => !required.includes(field))
  const usable = depth > 0 ? optional : optional.filter(({ type }) => !isNested(type))
  const isRow = /_(insert|set)_input$/.test(name)
  const least = isRow ? Math.ceil(usable.length / 2) : Math.min(1, usable.length)
  return fc
    .shuffledSubarray(usable, {
      minLength: least,
      maxLength: isRow ? usable.length : Math.min(2, usable.length),
    })
    .map((optionalFields) => [...required, ...optionalFields])
}

function isNested(type: GraphQLInputType): boolean {
  if (isNonNullType(type) || isListType(type)) return isNested(type.ofType)
  return isInputObjectType(type) && !/_comparison_exp$/.test(type.name)
}

function scalarValues(name: string, values: Values): fc.Arbitrary<InputValue> {
  const scalars = values[name] ?? ['a', 1]
  return fc.constantFrom(...scalars).map((json) => ({ literal: literalOfJson(json, name), json }))
}

/** Writes JSON as a literal of a scalar. Arrays are scalars in Hasura's schema, and are written as PostgreSQL's array text. */
function literalOfJson(json: unknown, scalar: string): string {
  if (Array.isArray(json) && scalar.startsWith('_')) return JSON.stringify(`{${json.join(',')}}`)
  return graphqlLiteral(json)
}

function listOf(items: readonly InputValue[]): InputValue {
  return {
    literal: `[${items.map(({ literal }) => literal).join(', ')}]`,
    json: items.map(({ json }) => json),
  }
}

function objectOf(members: readonly [string, InputValue][]): InputValue {
  return {
    literal: `{${members.map(([key, { literal }]) => `${key}: ${literal}`).join(', ')}}`,
    json: Object.fromEntries(members.map(([key, { json }]) => [key, json])),
  }
}

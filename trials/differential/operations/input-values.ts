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

/** A value of an argument, as a document and as variables have it. */
export type InputValue = { literal: string; json: unknown }

type Values = RandomWorld['values']

const NULL: InputValue = { literal: 'null', json: null }

/** Values of a type, made of values that occur in the rows; one in two hundred is of another type. */
export function inputValues(
  type: GraphQLInputType,
  values: Values,
  depth: number,
): fc.Arbitrary<InputValue> {
  return fc.oneof(
    { weight: 199, arbitrary: fittingValues(type, values, depth) },
    { weight: 1, arbitrary: fc.constantFrom(NULL, ...UNFIT) },
  )
}

const UNFIT: readonly InputValue[] = [
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
    const chosen = chosenFields(type.name, fields, depth)
    return chosen
      .chain((some) =>
        fc.tuple(
          ...some.map((field) =>
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

/** Few conditions and operators; most columns of a row that is to be inserted. */
function chosenFields(
  name: string,
  fields: readonly GraphQLInputField[],
  depth: number,
): fc.Arbitrary<GraphQLInputField[]> {
  const required = fields.filter(isRequiredInputField)
  const others = fields.filter((field) => !required.includes(field))
  const usable = depth > 0 ? others : others.filter(({ type }) => !isNested(type))
  const isRow = /_(insert|set)_input$/.test(name)
  const least = isRow ? Math.ceil(usable.length / 2) : Math.min(1, usable.length)
  return fc
    .shuffledSubarray(usable, {
      minLength: least,
      maxLength: isRow ? usable.length : Math.min(2, usable.length),
    })
    .map((some) => [...required, ...some])
}

function isNested(type: GraphQLInputType): boolean {
  if (isNonNullType(type) || isListType(type)) return isNested(type.ofType)
  return isInputObjectType(type) && !/_comparison_exp$/.test(type.name)
}

function scalarValues(name: string, values: Values): fc.Arbitrary<InputValue> {
  const known = values[name] ?? ['a', 1]
  return fc.constantFrom(...known).map((json) => ({ literal: literalOfJson(json, name), json }))
}

/** Arrays are scalars in Hasura's schema, which are written as PostgreSQL's text of them, or as lists. */
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

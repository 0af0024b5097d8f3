import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../../webhooks/openapi/examples/examples.ts'
import { examplesOf, operationsOf } from '../../support/openapi/examples.ts'
import { document, internal } from '../../support/webhooks/openapi/contract.ts'

const operations = [...operationsOf(document), ...operationsOf(internal)]

test('every example belongs to an existing operation', () => {
  const names = operations.map(({ name }) => name)
  expect(Object.keys(EXAMPLES).filter((name) => !names.includes(name))).toEqual([])
})

describe.each(operations)('$name has valid examples', (operation) => {
  test('the operation has an example of its request and of each response', () => {
    expect(examplesOf(operation).missing).toEqual([])
  })

  test('the examples of the operation match their schemas', () => {
    expect(examplesOf(operation).invalid).toEqual([])
  })
})

test.each([
  ['a wrong value', { success: 1 }],
  ['a malformed time', { success: true, at: 'yesterday' }],
  ['an unknown field', { success: true, stack: '' }],
])('an example with %s is found', (_name, value) => {
  const schema = {
    type: 'object',
    properties: { success: { const: true }, at: { type: 'string', format: 'date-time' } },
    additionalProperties: false,
  }
  const content = { 'application/json': { schema, examples: { wrong: { value } } } }
  const [operation] = operationsOf({ paths: { '/': { get: { responses: { 200: { content } } } } } })
  expect(operation && examplesOf(operation).invalid).toHaveLength(1)
})

import fc from 'fast-check'
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { z } from 'zod'
import type { Attack } from './attack.ts'
import { anyText } from './values.ts'

const IntrospectionResponse = z.object({ data: z.custom<IntrospectionQuery>() })

type Caller = { name: string; authorization: string }

/** Creates random operations for one caller's schema, most of them valid. One document in ten is a hostile text, one is expensive. */
export async function createGraphqlAttacks(
  baseUrl: string,
  { name, authorization }: Caller,
): Promise<fc.Arbitrary<Attack>> {
  const schema = await readSchema(baseUrl, authorization)
  const documents = fc.oneof(
    { weight: 8, arbitrary: randomOperations(schema) },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: fc.constantFrom(...expensiveDocuments(schema)) },
  )
  const variables = fc.option(fc.dictionary(anyText, anyText, { maxKeys: 3 }), { freq: 4 })
  return fc.tuple(documents, variables).map(([query, values]) => ({
    campaign: `GraphQL as ${name}`,
    method: 'POST',
    path: '/v1/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query, ...(values && { variables: values }) }),
  }))
}

/** Reads the caller's schema by introspection. */
export async function readSchema(baseUrl: string, authorization: string): Promise<GraphQLSchema> {
  const response = await fetch(`${baseUrl}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  })
  return buildClientSchema(IntrospectionResponse.parse(await response.json()).data)
}

function randomOperations(schema: GraphQLSchema): fc.Arbitrary<string> {
  const roots = [
    { kind: 'query', type: schema.getQueryType() },
    { kind: 'mutation', type: schema.getMutationType() },
  ].flatMap(({ kind, type }) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field })),
  )
  return fc
    .constantFrom(...roots)
    .chain(({ kind, field }) => selectedField(field, 3).map((text) => `${kind} { ${text} }`))
}

type Field = GraphQLField<unknown, unknown>

function selectedField(field: Field, depth: number): fc.Arbitrary<string> {
  const args = field.args.map(({ name, type }) =>
    fc
      .option(literalText(type, 3), { freq: isNonNullType(type) ? 20 : 2, nil: null })
      .map((value) => ({
        name,
        value,
      })),
  )
  return fc.tuple(fc.tuple(...args), selectionText(field.type, depth)).map(([values, inner]) => {
    const texts = values.flatMap(({ name, value }) => (value === null ? [] : [`${name}: ${value}`]))
    return `${field.name}${texts.length > 0 ? `(${texts.join(', ')})` : ''} ${inner}`
  })
}

function selectionText(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const namedType = getNamedType(type)
  if (!isObjectType(namedType)) return fc.constant('')
  const fields = Object.values(namedType.getFields())
  const usable = depth > 0 ? fields : fields.filter((f) => isLeafType(getNamedType(f.type)))
  if (usable.length === 0) return fc.constant('{ __typename }')
  return fc
    .uniqueArray(fc.constantFrom(...usable), { minLength: 1, maxLength: 3 })
    .chain((selectedFields) =>
      fc.tuple(...selectedFields.map((field) => selectedField(field, depth - 1))),
    )
    .map((texts) => `{ ${texts.join(' ')} }`)
}

/** Creates a GraphQL literal; one in ten has a wrong type. */
function literalText(type: GraphQLInputType, depth: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: fittingLiteral(type, depth) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('null', '1e999', '"x"', '{}', '[]', '-1', 'true', 'xyz'),
    },
  )
}

function fittingLiteral(type: GraphQLInputType, depth: number): fc.Arbitrary<string> {
  if (isNonNullType(type)) return fittingLiteral(type.ofType, depth)
  if (isListType(type)) return listLiteral(literalText(type.ofType, depth - 1))
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name))
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    if (depth <= 0 || fields.length === 0) return fc.constant('{}')
    return fc
      .uniqueArray(fc.constantFrom(...fields), { maxLength: 2 })
      .chain((selectedFields) =>
        fc.tuple(
          ...selectedFields.map((f) =>
            literalText(f.type, depth - 1).map((v) => `${f.name}: ${v}`),
          ),
        ),
      )
      .map((texts) => `{ ${texts.join(', ')} }`)
  }
  return scalarLiteral(type.name)
}

function listLiteral(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(item, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`)
}

function scalarLiteral(name: string): fc.Arbitrary<string> {
  if (/^(Int|Float|bigint|numeric|smallint)$/.test(name))
    return fc.constantFrom('0', '1', '-1', '2147483647', '2147483648', '9007199254740993', '1.5')
  if (name === 'Boolean') return fc.constantFrom('true', 'false')
  const texts = anyText.map((text) => JSON.stringify(text.toWellFormed().slice(0, 5_000)))
  if (/^(String|ID|json|jsonb)$/.test(name)) return texts
  return fc.oneof(
    texts,
    fc.constantFrom('"2026-01-01T00:00:00Z"', '"infinity"', '"99999999-01-01"', '"{}"'),
  )
}

/** Creates small documents that are expensive to answer unless limits stop them. */
function expensiveDocuments(schema: GraphQLSchema): string[] {
  const [root = '__typename'] = Object.keys(schema.getQueryType()?.getFields() ?? {})
  const times = (n: number, text: (i: number) => string) =>
    Array.from({ length: n }, (_, i) => text(i)).join(' ')
  const introspection = 'fields { type { fields { type { fields { type { name } } } } } }'
  return [
    `{ ${times(5_000, (i) => `a${i}: ${root} { __typename }`)} }`,
    `{ ${times(60_000, (i) => `a${i}: __typename`)} }`,
    `{ ${'a { '.repeat(20_000)}b${' }'.repeat(20_000)} }`,
    `{ ${times(3_000, () => '...F')} } fragment F on query_root { ${times(100, (i) => `b${i}: __typename`)} }`,
    // Each fragment spreads the next fragment twice: 2 to the power of 30 fields.
    `{ ...F0 } ${times(30, (i) => `fragment F${i} on query_root { ...F${i + 1} ...F${i + 1} }`)} fragment F30 on query_root { __typename }`,
    '{ ...A } fragment A on query_root { ...B } fragment B on query_root { ...A }',
    `{ __schema { types { ${introspection} ${times(20, (i) => `x${i}: ${introspection}`)} } } }`,
    `{ __typename ${times(5_000, () => '@skip(if: false)')} }`,
    `query(${times(5_000, (i) => `$v${i}: Int`)}) { __typename }`,
    `{ ${root}(where: ${'{_and: ['.repeat(2_000)}${']}'.repeat(2_000)}) { __typename } }`,
    `{ ${root}(where: {_or: [${times(20_000, () => '{},')}]}) { __typename } }`,
    `${'#'.repeat(200_000)}\n{ __typename }`,
    `{ __typename(a: """${'\\"""'.repeat(20_000)}""") }`,
  ]
}

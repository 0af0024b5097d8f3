import { globSync, readFileSync } from 'node:fs'
import {
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveEngineHere } from '../../packages/engine/test/support/serve-here.ts'
import { openReadySocket } from '../../packages/engine/test/support/socket.ts'
import { ADMIN_SECRET, type ServedEngine } from '../../packages/engine/test/support/start-engine.ts'
import { migrationTexts } from '../../packages/platform/parts/migration-texts.ts'
import { readDocumentedOperations } from '../support/documented-operations.ts'
import {
  actionAccess,
  expectOwnActions,
  isOfNullifiers,
} from '../support/hasura/actions-of-nullifiers.ts'
import { type Scan, startExplainingPostgres } from '../support/hasura/explaining-postgres.ts'
import { MANY_TEAMS } from '../support/hasura/many-teams.ts'
import { ID, OWN_VALUES, other, padded, VALUES } from '../support/hasura/operation-values.ts'

// Every operation of the services and of docs/graphql.md finds its rows by an index, so it does not read more rows as the
// tables grow. Every statement on nullifiers, also in functions and for foreign keys, selects one action by a constant or
// a parameter. Operations that read several actions are listed in docs/operations/scale.md.

/** The largest number of rows that a scan may read. Every growing table has more rows in this test. */
const FEW = 300
/** Tables that always have few rows. */
const SMALL = ['jwks', 'cache', 'price', 'payment_chain']

let postgres: Awaited<ReturnType<typeof startExplainingPostgres>>
let engine: ServedEngine

beforeAll(async () => {
  postgres = await startExplainingPostgres()
  await postgres.query('set auto_explain.log_min_duration = -1')
  for (const migration of migrationTexts()) await postgres.query(migration)
  await postgres.query(MANY_TEAMS)
  await postgres.query(`begin; ${readFileSync('hasura/seeds/default/demo.sql', 'utf8')} commit`)
  await postgres.query('vacuum analyze')
  await postgres.query('reset auto_explain.log_min_duration')
  engine = await serveEngineHere(postgres.url, {
    HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
    WEBHOOKS_URL: 'http://127.0.0.1:9',
    INTERNAL_AUTHORIZATION: 'Bearer none',
  })
})
afterAll(async () => {
  await engine?.stop()
  await postgres?.stop()
})

const files = globSync('{webhooks,lib/verification,oidc}/**/*.graphql').map((file) => {
  const [definition] = parse(readFileSync(file, 'utf8')).definitions
  return { file, definition, text: definition ? print(definition) : '' }
})

/** The operations of the services with their fragments. */
const services = files.flatMap(({ file, definition, text }) => {
  if (definition?.kind !== Kind.OPERATION_DEFINITION) return []
  const namedFiles = files.filter(
    (other) =>
      other.definition?.kind === Kind.FRAGMENT_DEFINITION &&
      text.includes(`...${other.definition.name.value}`),
  )
  const query = [text, ...namedFiles.map((fragment) => fragment.text)].join('\n')
  return { file, query, variables: variablesOf(definition) }
})

test('the operations of the services are found', () => {
  expect(services.length).toBeGreaterThan(30)
})

describe('operations of services use indexes', () => {
  test.each(services)('$file of a service uses indexes', async ({ file, query, variables }) => {
    await expectIndexed(file, () => send(query, variables, { 'x-hasura-role': 'service' }))
  })
})

const [withKey = '', asPerson = ''] = readFileSync('docs/graphql.md', 'utf8').split(
  '\n## As a person',
)

// Hasura actions are left out: their handlers send operations as a service.
const actions = readFileSync('hasura/metadata/actions.yaml', 'utf8')

function isAction(query: string): boolean {
  return [...query.matchAll(/^ {2}(\w+)/gm)].some(([, field]) =>
    actions.includes(`- name: ${field}\n`),
  )
}

describe('documented operations with an API key use indexes', () => {
  const session = { 'x-hasura-role': 'api_key', 'x-hasura-team-id': `team_${ID}` }
  const operations = readDocumentedOperations(withKey).filter(({ query }) => !isAction(query))

  test.each(operations.filter(({ kind }) => kind !== 'subscription'))(
    '$name uses indexes with an API key',
    async ({ name, query, variables }) => {
      await expectIndexed(name, () => send(query, variables, session))
    },
  )

  test.each(operations.filter(({ kind }) => kind === 'subscription'))(
    'the subscription $name uses indexes with an API key',
    async ({ name, query, variables }) => {
      await expectIndexed(name, () => subscribe(query, variables, session))
    },
  )
})

describe('documented operations of a person use indexes', () => {
  const session = { 'x-hasura-role': 'user', 'x-hasura-user-id': `usr_${padded}` }
  test.each(readDocumentedOperations(asPerson).filter(({ query }) => !isAction(query)))(
    '$name uses indexes as a person',
    async ({ name, query, variables }) => {
      const entries = Object.keys(variables).map((name) => [name, VALUES[name]])
      await expectIndexed(name, () => send(query, Object.fromEntries(entries), session))
    },
  )
})

describe('operations of the portal on nullifiers use indexes', () => {
  const session = { 'x-hasura-role': 'user', 'x-hasura-user-id': `usr_${padded}` }
  const operations = globSync('portal/pages/**/*.graphql')
    .flatMap((file) => parse(readFileSync(file, 'utf8')).definitions)
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((definition) => ({ definition, query: print(definition), name: definition.name?.value }))
    .filter(({ query }) => query.includes('nullifier'))

  test.each(operations)('$name of the portal uses indexes', async ({ name, definition, query }) => {
    const run = definition.operation === 'subscription' ? subscribe : send
    await expectIndexed(`portal ${name}`, () => run(query, variablesOf(definition), session))
  })
})

describe('the check of this file rejects an operation that reads several actions and is not in SEVERAL', () => {
  const [one, two] = [padded, other].map((team) => `"action_${team}"`)
  const either = `[{ action_id: { _eq: ${one} } }, { action_id: { _eq: ${two} } }]`
  test.each([
    ['a person without their action', '{ nullifier_hash: { _eq: "0x1" } }', 'anywhere'],
    ['two actions at a time', `{ action_id: { _in: [${one}, ${two}] } }`, 'anywhere'],
    ['one action or another', `{ _or: ${either} }`, 'anywhere'],
    ['the actions of an app', `{ action: { app_id: { _eq: "app_${padded}" } } }`, 'row by row'],
  ])('an unlisted operation that reads %s is detected', async (_, where, how) => {
    await expectDetected(`{ nullifier(where: ${where}) { uses } }`, {}, how)
  })

  test('an unlisted operation that records people of one action after another is detected', async () => {
    const file = 'lib/verification/record/record-nullifiers.graphql'
    const { query = '', variables = {} } = services.find((each) => each.file === file) ?? {}
    await expectDetected(query, variables, 'one after another')
  })

  async function expectDetected(query: string, variables: object, how: string) {
    await send(query, variables, { 'x-hasura-role': 'service' })
    const scans = await postgres.scans()
    expect(actionAccess(scans)).toBe(how)
    expect(() => expectOwnActions('Another', scans)).toThrow('Another: the operation is not in')
  }
})

async function expectIndexed(name: string, operation: () => Promise<Scan[]>) {
  const allScans = [...(await operation()), ...(await postgres.scans())]
  const scans = allScans.filter(({ table }) => !SMALL.includes(table))
  const engineScans = scans.filter(({ statement }) => !statement.includes('hdb_catalog'))
  expect(engineScans.filter(({ kind }) => kind === 'Seq Scan')).toEqual([])
  expect(engineScans.filter(({ rows }) => rows > FEW)).toEqual([])
  expectOwnActions(name, engineScans)
}

async function send(query: string, variables: object, session: Record<string, string>) {
  const { body, text } = await engine.graphql(query, variables, session)
  if (!Object(body).data) throw new Error(text)
  return []
}

async function subscribe(query: string, variables: object, session: Record<string, string>) {
  const headers = { 'x-hasura-admin-secret': ADMIN_SECRET, ...session }
  const socket = await openReadySocket(engine.url, headers)
  // A stream without rows sends nothing, so the test waits for the live query on the same socket.
  socket.send({ type: 'subscribe', id: '1', payload: { query, variables } })
  const liveQuery = { query: 'subscription { app(limit: 1) { id } }' }
  socket.send({ type: 'subscribe', id: '2', payload: liveQuery })
  expect((await socket.next()).type).toBe('next')
  const allScans: Scan[] = []
  // The engine may read the stream after the live query.
  while (query.includes('nullifier_stream') && !allScans.some(isOfNullifiers))
    allScans.push(...(await postgres.scans()))
  socket.ws.close()
  await socket.closed
  return allScans
}

function variablesOf({ name: operation, variableDefinitions = [] }: OperationDefinitionNode) {
  const values = { ...VALUES, ...OWN_VALUES[operation?.value ?? ''] }
  const pairs = variableDefinitions.map(({ variable: { name }, type }: VariableDefinitionNode) => [
    name.value,
    values[name.value] ?? exampleValue(type),
  ])
  return Object.fromEntries(pairs)
}

function exampleValue(type: TypeNode): unknown {
  if (type.kind === Kind.NON_NULL_TYPE) return exampleValue(type.type)
  if (type.kind === Kind.LIST_TYPE) return [exampleValue(type.type)]
  const values: Record<string, unknown> = {
    Int: 1,
    Boolean: false,
    jsonb: [],
    timestamptz: '2020-01-01T00:00:00Z',
  }
  return values[type.name.value] ?? 'x'
}

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as apollo4 from '@apollo/client/core'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { generate } from '@graphql-codegen/cli'
import { preset } from '@graphql-codegen/client-preset'
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { persistedExchange } from '@urql/exchange-persisted'
import * as apollo3 from 'apollo-client-3/core/index.js'
import { createPersistedQueryLink } from 'apollo-client-3/link/persisted-queries/index.js'
import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql'
import { request } from 'graphql-request'
import { SubscriptionClient } from 'subscriptions-transport-ws'
import { afterAll, describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

// Common clients, configured like in their documentation: with an address and the header with the
// key.

const require = createRequire(import.meta.url)

let platform: TestPlatform
let url: string
let headers: { authorization: string }
/** A folder inside the project, so that generated code finds its packages. */
let folder: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  const team = await platform.team()
  await platform.app({ team })
  url = `${platform.baseUrl}/v1/graphql`
  headers = { authorization: `Bearer ${team.apiKey}` }
  mkdirSync('.cache', { recursive: true })
  folder = mkdtempSync(resolve('.cache', 'clients-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

const APPS = 'query Apps($name: String!) { app(where: {name: {_eq: $name}}) { name } }'
const RENAME =
  'mutation Rename($name: String!) { update_team(where: {}, _set: {name: $name}) { affected_rows } }'
const REFUSED = 'query Refused { app { nothing } }'
const ANSWER = [{ name: 'App' }]

const preferHash = {
  sha256: async (text: string) => createHash('sha256').update(text).digest('hex'),
}

describe('urql works with the GraphQL endpoint', () => {
  const client = (...before: Parameters<typeof persistedExchange>) =>
    new Client({
      url,
      exchanges: [cacheExchange, ...before.map(persistedExchange), fetchExchange],
      fetchOptions: { headers },
      preferGetMethod: 'within-url-limit',
    })

  test('urql with its defaults sends queries by GET and mutations by POST, and shows errors', async () => {
    const urqlClient = new Client({ url, exchanges: [fetchExchange], fetchOptions: { headers } })
    const { data, error } = await urqlClient.query(APPS, { name: 'App' }).toPromise()
    expect(error).toBeUndefined()
    expect(data.app).toMatchObject(ANSWER)
    const renaming = await urqlClient.mutation(RENAME, { name: 'By urql' }).toPromise()
    expect(renaming.data.update_team).toMatchObject({ affected_rows: 1 })
    const failure = await urqlClient.query(REFUSED, {}).toPromise()
    expect(failure.error?.graphQLErrors[0]?.message).toContain('nothing')
  })

  test('urql sends persisted queries by GET', async () => {
    for (let round = 0; round < 2; round++) {
      const urqlClient = client({ preferGetForPersistedQueries: true })
      const { data, error } = await urqlClient.query(APPS, { name: 'App' }).toPromise()
      expect(error).toBeUndefined()
      expect(data.app).toMatchObject(ANSWER)
    }
  })
})

describe('Apollo Client 4 works with the GraphQL endpoint', () => {
  const client = (link: apollo4.ApolloLink) =>
    new apollo4.ApolloClient({ link, cache: new apollo4.InMemoryCache() })

  test.each([false, true])(
    'Apollo Client 4 sends queries and mutations, with GET for queries: %s',
    async (useGETForQueries) => {
      const apollo = client(new apollo4.HttpLink({ uri: url, headers, useGETForQueries }))
      const { data } = await apollo.query({ query: apollo4.gql(APPS), variables: { name: 'App' } })
      expect(data).toMatchObject({ app: ANSWER })
      const mutation = { mutation: apollo4.gql(RENAME), variables: { name: 'By Apollo' } }
      expect((await apollo.mutate(mutation)).data).toMatchObject({
        update_team: { affected_rows: 1 },
      })
      await expect(apollo.query({ query: apollo4.gql(REFUSED) })).rejects.toThrow('nothing')
    },
  )

  test('Apollo Client 4 sends persisted queries by GET', async () => {
    for (let round = 0; round < 2; round++) {
      const link = new PersistedQueryLink({ ...preferHash, useGETForHashedQueries: true })
      const apollo = client(link.concat(new apollo4.HttpLink({ uri: url, headers })))
      const query = apollo4.gql(APPS.replace('Apps', 'AppsOfApollo4'))
      expect((await apollo.query({ query, variables: { name: 'App' } })).data).toMatchObject({
        app: ANSWER,
      })
    }
  })
})

describe('Apollo Client 3 works with the GraphQL endpoint', () => {
  const client = (link: apollo3.ApolloLink) =>
    new apollo3.ApolloClient({ link, cache: new apollo3.InMemoryCache() })

  test.each([false, true])(
    'Apollo Client 3 sends queries and mutations, with GET for queries: %s',
    async (useGETForQueries) => {
      const apollo = client(new apollo3.HttpLink({ uri: url, headers, useGETForQueries }))
      const { data } = await apollo.query({ query: apollo3.gql(APPS), variables: { name: 'App' } })
      expect(data).toMatchObject({ app: ANSWER })
      const mutation = { mutation: apollo3.gql(RENAME), variables: { name: 'By Apollo' } }
      expect((await apollo.mutate(mutation)).data).toMatchObject({
        update_team: { affected_rows: 1 },
      })
      await expect(apollo.query({ query: apollo3.gql(REFUSED) })).rejects.toThrow(/nothing|400/)
    },
  )

  test('Apollo Client 3 sends persisted queries by GET', async () => {
    for (let round = 0; round < 2; round++) {
      const link = createPersistedQueryLink({ ...preferHash, useGETForHashedQueries: true })
      const apollo = client(link.concat(new apollo3.HttpLink({ uri: url, headers })))
      const query = apollo3.gql(APPS.replace('Apps', 'AppsOfApollo3'))
      expect((await apollo.query({ query, variables: { name: 'App' } })).data).toMatchObject({
        app: ANSWER,
      })
    }
  })
})

test('subscriptions-transport-ws subscribes with the older protocol', async () => {
  const client = new SubscriptionClient(
    url.replace('http', 'ws'),
    { connectionParams: { headers: { Authorization: headers.authorization } } },
    WebSocket,
  )
  const answer = await new Promise((resolve, reject) => {
    client
      .request({ query: 'subscription { app { name } }' })
      .subscribe({ next: resolve, error: reject })
  })
  client.close()
  expect(answer).toEqual({ data: { app: ANSWER } })
})

test('the client preset of codegen generates typed documents that run', async () => {
  writeFileSync(join(folder, 'apps.graphql'), APPS)
  const generated = await generate(
    {
      schema: [{ [url]: { headers } }],
      documents: join(folder, 'apps.graphql'),
      generates: { [`${folder}/made/`]: { preset, config: { useTypeImports: true } } },
      silent: true,
    },
    true,
  )
  expect(generated.length).toBeGreaterThan(0)
  const { AppsDocument } = await import(join(folder, 'made', 'graphql.ts'))
  expect(await request(url, AppsDocument, { name: 'App' }, headers)).toEqual({ app: ANSWER })
})

test("Relay's compiler accepts the schema of an API key, and its queries run", async () => {
  const schema = buildClientSchema(await request(url, getIntrospectionQuery(), {}, headers))
  writeFileSync(join(folder, 'schema.graphql'), printSchema(schema))
  mkdirSync(join(folder, 'src'))
  const query = APPS.replace('Apps', 'ListAppsQuery')
  writeFileSync(
    join(folder, 'src', 'ListApps.ts'),
    `import { graphql } from 'relay-runtime'\nexport const apps = graphql\`${query}\`\n`,
  )
  writeFileSync(
    join(folder, 'relay.config.json'),
    JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'typescript',
      useImportTypeSyntax: true,
    }),
  )
  const compiler = require.resolve('relay-compiler/cli.js')
  await promisify(execFile)(process.execPath, [compiler, 'relay.config.json'], { cwd: folder })
  const generated = await import(join(folder, 'src', '__generated__', 'ListAppsQuery.graphql.ts'))
  const { text } = generated.default.params
  expect(await request(url, text, { name: 'App' }, headers)).toMatchObject({ app: ANSWER })
})

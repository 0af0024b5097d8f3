import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import { createGeneratingApp, type GeneratingApp } from '../support/clients/generated-client.ts'
import { AS_ADA, AS_ADMIN, BEN, type Shop, startShop } from '../support/clients/shop.ts'

type Headers = Record<string, string>

/** The exports of app/codegen.ts, which has types only after codegen has generated its types. */
type Program = {
  purchases(url: string, headers: Headers, where: object): Promise<unknown>
  buy(url: string, headers: Headers, id: string, customer: string): Promise<unknown>
  write(url: string, headers: Headers, note: string): Promise<unknown>
}

describeClient('@graphql-codegen/cli', () => {
  let shop: Shop
  let app: GeneratingApp
  let program: Program
  /** Runs codegen with this configuration. */
  const generate = (config: object) => {
    writeFileSync(join(app.folder, 'codegen.json'), JSON.stringify(config))
    return app.run('graphql-codegen', '--config', 'codegen.json')
  }
  const schemaOf = (headers: Headers) => [{ [shop.url]: { headers } }]
  const client = { preset: 'client', config: { documentMode: 'string', useTypeImports: true } }

  beforeAll(async () => {
    shop = await startShop()
    app = createGeneratingApp('codegen.ts', 'codegen-customer.ts')
    await generate({
      schema: schemaOf(AS_ADMIN),
      documents: 'codegen.ts',
      generates: {
        'admin/schema.ts': { plugins: ['typescript'] },
        'admin/operations.ts': { plugins: ['typescript-operations'] },
        'admin/introspection.json': { plugins: ['introspection'] },
        'admin/client/': client,
      },
    })
    await generate({
      schema: schemaOf(AS_ADA),
      documents: 'codegen-customer.ts',
      generates: { 'customer/': client },
    })
    program = await app.load()
  })
  beforeEach(() => shop.reset())
  afterAll(async () => {
    app.remove()
    await shop.stop()
  })

  test('a program of codegen has the types of the schemas of admin and a role', async () => {
    expect(await app.typeErrors()).toBe('')
  })

  test('the introspection that codegen writes equals the served schema', async () => {
    const { body } = await shop.engine.graphql(getIntrospectionQuery())
    const { data } = JSON.parse(JSON.stringify(body))
    const text = readFileSync(join(app.folder, 'admin/introspection.json'), 'utf8')
    expect(sortedSdl(JSON.parse(text))).toBe(sortedSdl(data))
  })

  test('a document of codegen runs with a fragment and variables', async () => {
    const where = { lines: { product: { kind: { _in: ['book', 'record'] } } } }
    expect(await program.purchases(shop.url, AS_ADMIN, where)).toEqual([
      { name: 'Ada', lines: ['2 Emma', '1 Kind of Blue'] },
      { name: 'Ben', lines: ['3 Middlemarch'] },
    ])
  })

  test('a mutation of codegen runs', async () => {
    const id = '40000000-0000-4000-8000-000000000004'
    expect(await program.buy(shop.url, AS_ADMIN, id, BEN)).toEqual({
      note: null,
      state: 'open',
      total: 25,
      lines: [{ product: { withdrawn_at: null } }],
    })
  })

  test('a document for a role runs with the types of codegen', async () => {
    expect(await program.write(shop.url, AS_ADA, 'soon')).toEqual({
      affected_rows: 1,
      returning: [{ note: 'soon' }],
    })
  })

  test('codegen rejects a document outside the schema of a role', async () => {
    const config = { schema: schemaOf(AS_ADA), documents: 'codegen.ts' }
    await expect(generate({ ...config, generates: { 'refused/': client } })).rejects.toThrow(
      'Cannot query field "withdrawn_at" on type "product"',
    )
  })
})

function sortedSdl(introspection: Parameters<typeof buildClientSchema>[0]): string {
  return printSchema(lexicographicSortSchema(buildClientSchema(introspection)))
}

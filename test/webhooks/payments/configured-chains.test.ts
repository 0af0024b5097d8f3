import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { insert, paymentOf } from '../../support/webhooks/payments.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string

beforeAll(async () => {
  platform = await startTestPlatform()
  team = await platform.team()
  app = await platform.app({ team })
})
afterAll(() => platform.stop())

const addPayment = (chain: string) =>
  insert.raw(platform, team.apiKey, { ...paymentOf(app), chain })

const REJECTED = {
  errors: [
    {
      message: 'Check constraint violation. no payments are read from this chain',
      extensions: { code: 'permission-error' },
    },
  ],
}

const ADDED = { data: { insert_transaction_one: { id: expect.any(String) } } }

const TOKENS = { USDCE: { address: `0x${'e'.repeat(40)}`, decimals: 6 } }

function environmentWithChains(...names: string[]) {
  const rpc_url = 'http://127.0.0.1:9'
  const chains = names.map((name, i) => [name, { rpc_url, chain_id: i + 1, tokens: TOKENS }])
  return { PAYMENT_CHAINS: JSON.stringify(Object.fromEntries(chains)) }
}

test('a payment on a chain that is not configured is rejected immediately', async () => {
  expect(await addPayment('local')).toMatchObject(ADDED)
  for (const chain of ['nowhere', 'LOCAL', ''])
    expect(await addPayment(chain)).toMatchObject(REJECTED)
})

test('a payment on a chain is accepted as long as an instance reads the chain', async () => {
  const first = await platform.anotherInstance(environmentWithChains('new', 'newer'))
  const second = await platform.anotherInstance(environmentWithChains('new'))
  expect(await addPayment('newer')).toMatchObject(ADDED)
  await first.stop()
  expect(await addPayment('newer')).toMatchObject(REJECTED)
  expect(await addPayment('new')).toMatchObject(ADDED)
  await second.stop()
  expect(await addPayment('new')).toMatchObject(REJECTED)
  expect(await addPayment('local')).toMatchObject(ADDED)
})

test('a payment in a token that no instance knows on the chain is rejected, and the message lists the known tokens', async () => {
  const payment = { ...paymentOf(app), token: 'DOGE' }
  expect(await insert.raw(platform, team.apiKey, payment)).toMatchObject({
    errors: [
      {
        message:
          'Check constraint violation. token must be a token of the chain local (USDCE, WLD); got DOGE',
        extensions: { code: 'permission-error' },
      },
    ],
  })
})

test('a payment on a chain of a dead instance is rejected after two minutes', async () => {
  const announce = () =>
    platform.db.query(`select announce_chains('dead instance', '{"lost": ["USDCE"]}')`)
  await announce()
  expect(await addPayment('lost')).toMatchObject(ADDED)
  await platform.db.query(
    "update payment_chain set expires_at = expires_at - interval '2 minutes' where name = 'lost'",
  )
  expect(await addPayment('lost')).toMatchObject(REJECTED)
  await platform.db.query(`select announce_chains('live instance', '{}')`)
  const { rows } = await platform.db.query("select from payment_chain where name = 'lost'")
  expect(rows).toEqual([])
})

test('an instance starts and stops without Hasura', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const instance = await platform.anotherInstance({
    ...environmentWithChains('lonely'),
    HASURA_GRAPHQL_ENDPOINT: endpoint,
  })
  expect((await fetch(`${instance.baseUrl}/healthz`)).status).toBe(200)
  await instance.stop()
  expect(await addPayment('lonely')).toMatchObject(REJECTED)
})

test('an instance rejects two names for the same chain id, so that a payment cannot count twice', async () => {
  const one = { rpc_url: 'http://127.0.0.1:9', chain_id: 7 }
  const PAYMENT_CHAINS = JSON.stringify({ one, other: one })
  await expect(platform.anotherInstance({ PAYMENT_CHAINS })).rejects.toThrow(
    'PAYMENT_CHAINS: one and other must not both have the chain id 7.',
  )
})

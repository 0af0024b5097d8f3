import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { hashToken, makeToken } from '../../../../lib/runtime/secrets/secret.ts'
import { publishRoot } from '../../../../local/chain/publish-root.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { serveEngineHere } from '../../../../packages/engine/test/support/serve-here.ts'
import { database } from '../../database.ts'
import { forgeRequest } from '../forge-request.ts'
import { insert, paymentOf } from '../payments.ts'
import { INTERNAL_SECRET } from '../platform-environment.ts'
import { smtpServer } from '../smtp-server.ts'
import { startTestPlatform, type TestPlatform } from '../start-platform.ts'

/** The newest root of the staging group, and the root before it. */
export const ROOT = 4711n
export const OLD_ROOT = 4710n

export type Instance = { baseUrl: string; stop(): Promise<void> }

/** The first of the instances that contract.test.ts calls. It has every part; some other instances lack one. */
export let platform: TestPlatform
/** An instance with rate limits of one request, which forwards one request at a time. */
export let withTightLimits: Instance
/** An instance that verifies no protocol 4.0. */
export let withoutProtocol4: Instance
/** An instance that no longer serves version 1 of verification. */
export let withoutVersion1: Instance
/** An instance without a running Hasura. */
export let withoutHasura: Instance
/** An instance with a Hasura that lacks the platform's tables. */
export let withoutTables: Instance
let smtp: ReturnType<typeof smtpServer>
let emptyDatabase: Awaited<ReturnType<typeof database>>
let emptyEngine: Awaited<ReturnType<typeof serveEngineHere>>

let apiKey: string
export let teamId: string
export let app: string
export let chainApp: string
export let vote: string
export let inactiveAction: string
export let ofProtocol4: string
export let onChain: string
export let transaction: string
/** The app's reference of the transaction. */
export let reference: string
export let userId: string
let people = 0n
export const inviteToken = makeToken()

beforeAll(async () => {
  smtp = smtpServer(await freePort())
  await smtp.start()
  platform = await startTestPlatform({ SMTP_URL: smtp.url })
  emptyDatabase = await database()
  emptyEngine = await serveEngineHere(emptyDatabase.url, {
    HASURA_GRAPHQL_METADATA_DIR: 'trials/bench/metadata',
    HASURA_GRAPHQL_ADMIN_SECRET: platform.env.HASURA_GRAPHQL_ADMIN_SECRET ?? '',
  })
  const limits = Object.keys(platform.env).filter((name) => name.startsWith('RATE_LIMIT_'))
  withTightLimits = await platform.anotherInstance({
    ...Object.fromEntries(limits.map((name) => [name, '1/3600'])),
    GRAPHQL_CONCURRENCY: '1',
    TRUSTED_PROXY_HOPS: '1',
  })
  withoutProtocol4 = await platform.anotherInstance({ WORLD_CHAIN_RPC_URL: '' })
  withoutVersion1 = await platform.anotherInstance({ VERIFY_V1_SUNSET: '2024-06-30T23:59:59Z' })
  withoutHasura = await platform.anotherInstance({
    HASURA_GRAPHQL_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    PAYMENT_CHAINS: JSON.stringify({
      local: { rpc_url: `http://127.0.0.1:${await freePort()}`, chain_id: 31337 },
    }),
  })
  withoutTables = await platform.anotherInstance({
    HASURA_GRAPHQL_ENDPOINT: emptyEngine.url,
    SIGNING_KEY_RENEWAL_DAYS: '60',
  })
  await makeRows()
})
afterAll(async () => {
  for (const part of [
    withoutTables,
    withoutHasura,
    withoutVersion1,
    withoutProtocol4,
    withTightLimits,
    emptyEngine,
    platform,
    smtp,
  ])
    await part.stop()
  await emptyDatabase.drop()
})

async function makeRows() {
  await platform.db.query(
    "insert into price (crypto, fiat, amount, source, observed_at) values ('WLD', 'USD', '930000', 'test', now())",
  )
  const team = await platform.team()
  apiKey = team.apiKey
  teamId = team.id
  app = await platform.app({ team })
  vote = await platform.action(app, { action: 'vote' })
  inactiveAction = await platform.action(app, { action: 'idle', status: 'inactive' })
  ofProtocol4 = await platform.action(app, { action: 'new' })
  await platform.db.query("update action set protocol = '4.0' where id = $1", [ofProtocol4])
  chainApp = await platform.app({ team, engine: 'on-chain' })
  onChain = await platform.action(chainApp, { action: 'vote' })
  const payment = paymentOf(app)
  reference = payment.reference
  transaction = await insert(platform, apiKey, payment)
  const { rpcUrl } = platform.anvil
  await publishRoot({ rpcUrl, group: 'staging', root: OLD_ROOT })
  await publishRoot({ rpcUrl, group: 'staging', root: ROOT })
  await platform.post('/api/v1/signup', account('ada@example.com'))
  const { rows } = await platform.db.query('select id from "user"')
  userId = rows[0].id
  await platform.db.query(
    `with made as (
      insert into invite (team_id, email) values ($1, 'ada@example.com') returning id
    )
    insert into invite_token (token_hash, invite_id) select $2, id from made`,
    [team.id, hashToken(inviteToken)],
  )
}

/** Creates a link of a new account, and returns its token. */
export async function newLink(kind: string): Promise<string> {
  const token = makeToken()
  await platform.db.query(
    `with owner as (
      insert into "user" (email, name, password_hash) values ($1, 'Person', '') returning id, email
    ), change as (
      insert into email_change (user_id, email) select id, $2 from owner where $3 like 'confirm_%' returning id
    )
    insert into account_link (token_hash, user_id, email, kind, email_change_id, expires_at)
    select $4, owner.id, owner.email, $3, change.id, now() + interval '1 hour' from owner left join change on true`,
    [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`, kind, hashToken(token)],
  )
  return token
}

export const asHasura = { authorization: `Bearer ${INTERNAL_SECRET}` }
export const asTeam = () => ({ authorization: `Bearer ${apiKey}` })

export function account(email = `${randomUUID()}@example.com`) {
  return { email, password: 'difference', name: 'Ada', team_name: 'Engine' }
}

/** Forges the request of a new person. */
export function person(root = ROOT, action = 'vote') {
  people += 1n
  return forgeRequest({ app, action, root, nullifier: people })
}

export async function personV1(root = ROOT) {
  return { ...(await person(root)), action_id: vote, signal: '' }
}

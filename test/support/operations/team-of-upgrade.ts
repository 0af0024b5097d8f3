import { z } from 'zod'
import type { Database } from '../database.ts'
import { authorizeUrl, CALLBACK, type TestClient } from '../oidc/register-client.ts'
import { createTokenCalls } from '../oidc/token-calls.ts'
import { type SignInPage, Visitor } from '../oidc/visitor.ts'
import { forgeRequest } from '../webhooks/forge-request.ts'
import { INTERNAL_SECRET } from '../webhooks/platform-environment.ts'
import { post, type Reply } from '../webhooks/start-platform.ts'
import type { Addresses } from './run-version.ts'

/** The newest root of the staging group. */
export const ROOT = 4711n
/** The person who verified with the earlier version. */
export const VERIFIED_PERSON = 7n
/** The person who signed in with the earlier version. */
export const SIGNED_IN_PERSON = 42n
export const ACCOUNT = { email: 'owner@example.com', password: 'difference' }
/** The receiver of the team's payment. */
export const PAYEE = `0x${'b0'.padStart(40, '0')}`
/** A transaction hash that the chain does not know. */
const UNKNOWN_HASH = `0x${'a'.repeat(64)}`

/** A team that was created with one version, and that another version serves. */
export type UpgradedTeam = {
  id: string
  app: string
  payment: string
  loginToken: string
  apiKey: string
  client: TestClient
}

/** Returns the requests that a team, its people and its websites send to a version. */
export function callsTo({ baseUrl, signInUrl }: Addresses) {
  const send = (path: string, body: unknown, headers?: Record<string, string>) =>
    post(baseUrl + path, body, headers)
  const logIn = () => send('/api/v1/login', ACCOUNT)
  const loginToken = async () => z.object({ token: z.string() }).parse((await logIn()).body).token
  const sendOperation = (token: string, query: string, variables: object = {}) =>
    send('/v1/graphql', { query, variables }, { authorization: `Bearer ${token}` })
  /** Sends a GraphQL operation that must succeed. */
  const graphql = async (token: string, query: string, variables: object = {}) =>
    dataOf(await sendOperation(token, query, variables))
  return {
    send,
    logIn,
    loginToken,
    createKey: async (team: string, token: string): Promise<string> =>
      (await graphql(token, CREATE_KEY, { team })).create_api_key.api_key,
    readTeam: (token: string) => sendOperation(token, '{ team { id } }'),
    verify: async (app: string, nullifier: bigint) =>
      send(
        `/api/v2/verify/${app}`,
        await forgeRequest({ app, action: 'vote', root: ROOT, nullifier }),
      ),
    keys: async () => (await fetch(`${baseUrl}/api/v1/jwks`)).json(),
    signInKeys: async () => (await fetch(`${signInUrl}/jwks`)).json(),
    payment: async ({ payment, app, apiKey }: UpgradedTeam) => {
      const path = `/api/v2/minikit/transaction/${payment}?app_id=${app}&type=payment`
      const headers = { authorization: `Bearer ${apiKey}` }
      const response = await fetch(baseUrl + path, { headers })
      return { status: response.status, body: Object(await response.json()) }
    },
    graphql,
    tokens: (client: TestClient) => createTokenCalls(() => ({ url: signInUrl, client })),
    beginSignIn: async (client: TestClient) => {
      const visitor = new Visitor(signInUrl)
      return { visitor, page: await visitor.begin(authorizeUrl(client)) }
    },
  }
}

const GraphqlAnswer = z.object({ data: z.record(z.string(), z.any()) })

function dataOf({ body }: Reply) {
  const { success, data } = GraphqlAnswer.safeParse(body)
  if (!success) throw new Error(`the operation failed: ${JSON.stringify(body)}`)
  return data.data
}

/** Creates a team with an owner, a key, an app, people, a website and a payment, with the requests of its users. */
export async function createTeam(
  addresses: Addresses,
  db: Pick<Database, 'query'>,
): Promise<UpgradedTeam> {
  const calls = callsTo(addresses)
  await calls.send('/api/v1/signup', { ...ACCOUNT, name: 'Owner', team_name: 'Team' })
  await db.query('update "user" set email_verified_at = now()')
  const loginToken = await calls.loginToken()
  const asOwner = (query: string, variables?: object) => calls.graphql(loginToken, query, variables)
  const team: string = (await asOwner('{ team { id } }')).team[0].id
  const apiKey = await calls.createKey(team, loginToken)
  const asKey = (query: string, variables?: object) => calls.graphql(apiKey, query, variables)
  const app: string = (
    await asKey('mutation { insert_app_one(object: { name: "App", is_staging: true }) { id } }')
  ).insert_app_one.id
  const payment: string = (
    await asKey(ROWS_OF_APP, { app, hash: UNKNOWN_HASH, uri: CALLBACK, to: PAYEE })
  ).insert_transaction_one.id
  const { reset_client_secret: secret } = await asOwner(
    `mutation ($app: String!, $team: String!) {
      reset_client_secret(app_id: $app) { client_secret }
      invite_team_members(team_id: $team, emails: ["invited@example.com"]) { emails }
    }`,
    { app, team },
  )
  await calls.send('/api/_jwk-gen', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
  return {
    id: team,
    app,
    payment,
    loginToken,
    apiKey,
    client: clientOf(app, secret.client_secret),
  }
}

const CREATE_KEY =
  'mutation ($team: String!) { create_api_key(team_id: $team, name: "Server") { api_key } }'

const ROWS_OF_APP = `mutation ($app: String!, $hash: String!, $uri: String!, $to: String!) {
  insert_action_one(object: { app_id: $app, action: "vote", name: "Vote", max_verifications: 1 }) { id }
  insert_redirect_one(object: { app_id: $app, redirect_uri: $uri }) { id }
  insert_transaction_one(
    object: {
      app_id: $app
      reference: "order-1"
      chain: "local"
      transaction_hash: $hash
      token: "USDCE"
      token_amount: "1000000"
      to: $to
    }
  ) { id }
}`

function clientOf(id: string, secret: string): TestClient {
  return { id, secret, basic: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

export type OpenSignIn = { visitor: Visitor; page: SignInPage }

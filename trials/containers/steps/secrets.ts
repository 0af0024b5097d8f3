import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { parseApiKey } from '../../../webhooks/credentials/api-key.ts'
import { APP } from '../../faults/verify-people.ts'
import { drawSecret } from '../stack/settings.ts'
import { postJson } from './people.ts'
import { rollOut, underLoad } from './roll-out.ts'
import { expectThat, INSTANCES, type World } from './world.ts'

const PAGE = 'docs/operations/secrets.md'

/** The secrets that are lists. The services use the first value, and accept all values. */
const LISTS = [
  'LOGIN_TOKEN_SECRET',
  'COOKIE_KEYS',
  'SIGNING_KEY_SECRET',
  'API_KEY_PEPPER',
  'CLIENT_SECRET_PEPPER',
] as const

/** The secrets that Hasura has too. Hasura accepts only one value. */
const SHARED = ['HASURA_GRAPHQL_ADMIN_SECRET', 'INTERNAL_SECRET'] as const

type SecretPairs = Readonly<Record<string, { old: string; new: string }>>

/**
 * Changes all secrets except passwords in the three steps of docs/operations/secrets.md, while people verify, sign-ins begin and a team
 * reads. Then checks that an API key of the old pepper, the old internal secret and the old admin secret are rejected.
 *
 * @param hasuras the number of Hasura instances
 * @returns the result of the load, and the new client secret of the demo app
 */
export async function changeEverySecret(
  world: World,
  hasuras: number,
): Promise<{ result: string; clientSecret: string }> {
  const { stack } = world
  const names = [...LISTS, ...SHARED]
  const pairs: SecretPairs = Object.fromEntries(
    names.map((name) => [name, { old: stack.envFile.value(name), new: drawSecret() }]),
  )
  const keyToReset = world.apiKey
  // The load reads with the other team's key, because a key stops working when it is reset. The other key is not reset, so the new
  // pepper rejects it in the end.
  const oldKey = world.otherKey
  world.apiKey = oldKey
  let clientSecret = ''
  const result = await underLoad(world, async () => {
    stack.envFile.change(firstStep(pairs))
    await rollOutServices(world)
    stack.envFile.change(secondStep(pairs))
    await rollOut(world, 'hasura', hasuras)
    await rollOutServices(world)
    clientSecret = await renewBoundSecrets(world, keyToReset)
    stack.envFile.change(thirdStep(pairs))
    await rollOutServices(world)
  })
  await expectOldSecretsRejected(world, oldKey, pairs)
  return { result, clientSecret }
}

/**
 * Changes the database passwords under load, as docs/operations/secrets.md describes. A role has only one password, so PostgreSQL
 * rejects new connections of old instances. Their callers then get an error that asks for a retry.
 */
export function changePasswords(world: World, hasuras: number): Promise<string> {
  const roles = [
    { role: 'hasura', name: 'HASURA_DATABASE_PASSWORD', service: 'hasura', count: hasuras },
    { role: 'sign_in', name: 'SIGN_IN_DATABASE_PASSWORD', service: 'oidc', count: INSTANCES.oidc },
    { role: 'postgres', name: 'POSTGRES_PASSWORD', service: null, count: 0 },
  ]
  const change = async () => {
    for (const { role, name, service, count } of roles) {
      const password = drawSecret()
      world.stack.envFile.change({ [name]: password })
      await world.stack.asDocumented(PAGE, 'password', { ROLE: role, PASSWORD: password })
      if (service) await rollOut(world, service, count)
    }
  }
  return underLoad(world, change, true)
}

/** `old,new`: every instance accepts the new secret, and still uses the old secret. */
function firstStep(pairs: SecretPairs): Record<string, string> {
  return {
    ...pick(LISTS, (name) => `${pairs[name]?.old},${pairs[name]?.new}`),
    ...alsoVariables((name) => pairs[name]?.new ?? ''),
  }
}

/** `new,old`: every instance uses the new secret, and still accepts the old secret. */
function secondStep(pairs: SecretPairs): Record<string, string> {
  return {
    ...pick(LISTS, (name) => `${pairs[name]?.new},${pairs[name]?.old}`),
    ...pick(SHARED, (name) => pairs[name]?.new ?? ''),
    ...alsoVariables((name) => pairs[name]?.old ?? ''),
  }
}

/** `new`: every instance rejects the old secret. */
function thirdStep(pairs: SecretPairs): Record<string, string> {
  return { ...pick(LISTS, (name) => pairs[name]?.new ?? ''), ...alsoVariables(() => '') }
}

function pick(names: readonly string[], value: (name: string) => string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value(name)]))
}

function alsoVariables(value: (name: (typeof SHARED)[number]) => string): Record<string, string> {
  return Object.fromEntries(SHARED.map((name) => [`${name}_ALSO`, value(name)]))
}

async function rollOutServices(world: World): Promise<void> {
  for (const [service, count] of Object.entries(INSTANCES)) await rollOut(world, service, count)
}

const ResetSecret = z.object({
  data: z.object({ reset_client_secret: z.object({ client_secret: z.string() }) }),
})
const ResetKey = z.object({
  data: z.object({ reset_api_key: z.object({ api_key: z.string() }) }),
})

/** Replaces, between the second and the third step, the client secret, API key and signing keys that depend on an old secret. */
async function renewBoundSecrets(world: World, keyToReset: string): Promise<string> {
  const { baseUrl, stack } = world
  const headers = { authorization: `Bearer ${keyToReset}` }
  const query = `mutation { reset_client_secret(app_id: "${APP}") { client_secret } }`
  const response = await postJson(`${baseUrl}/v1/graphql`, { query }, headers)
  world.apiKey = await resetApiKey(world, keyToReset)
  // Simulates the time in which the signing keys of the old secret expire.
  await stack.sql("delete from jwks where use = 'sign-in' or use = 'verification'")
  await stack.asDocumented('docs/operations/install.md', 'signing-key')
  return ResetSecret.parse(response.body).data.reset_client_secret.client_secret
}

/** Resets an API key as an owner does in the portal. Only a user may do that, so a container sends the request with a user's session. */
async function resetApiKey({ stack }: World, apiKey: string): Promise<string> {
  const { id } = requireValue(parseApiKey(apiKey), 'the API key')
  const owner = await stack.sql(
    `insert into "user" (email, name, password_hash, email_verified_at) values ('owner@example.com', 'Owner', '-', now())
       on conflict do nothing;
     insert into membership (team_id, user_id, role)
       select 'team_${'1'.padStart(32, '0')}', id, 'OWNER' from "user" where email = 'owner@example.com'
       on conflict do nothing;
     select id from "user" where email = 'owner@example.com'`,
  )
  const query = `mutation { reset_api_key(id: "${id}") { api_key } }`
  const script = `fetch(process.env.HASURA_GRAPHQL_ENDPOINT + '/v1/graphql', { method: 'POST', headers: {
    'x-hasura-admin-secret': process.env.HASURA_GRAPHQL_ADMIN_SECRET.split(',')[0], 'x-hasura-role': 'user',
    'x-hasura-user-id': '${owner}' }, body: JSON.stringify({ query: ${JSON.stringify(query)} }) })
    .then(async (r) => console.log(await r.text()))`
  const output = await stack.compose('exec', '--no-TTY', 'webhooks', 'node', '-e', script)
  return ResetKey.parse(JSON.parse(output)).data.reset_api_key.api_key
}

async function expectOldSecretsRejected(
  world: World,
  oldKey: string,
  pairs: SecretPairs,
): Promise<void> {
  const query = '{ app { id } }'
  const response = await postJson(
    `${world.baseUrl}/v1/graphql`,
    { query },
    { authorization: `Bearer ${oldKey}` },
  )
  expectThat('errors' in Object(response.body), 'the old API key still works')
  for (const [path, secret] of [
    ['http://127.0.0.1:3000/api/_expire', `Bearer ${pairs.INTERNAL_SECRET?.old}`],
    ['http://hasura:8080/v1/graphql', ''],
  ] as const) {
    const headers = secret
      ? { authorization: secret }
      : { 'x-hasura-admin-secret': pairs.HASURA_GRAPHQL_ADMIN_SECRET?.old }
    const script = `fetch('${path}', { method: 'POST', headers: ${JSON.stringify(headers)}, body: '{"query":"{ app { id } }"}' })
      .then(async (r) => console.log(r.status, await r.text()))`
    const output = await world.stack.compose('exec', '--no-TTY', 'webhooks', 'node', '-e', script)
    expectThat(
      /^40[13] |access-denied/.test(output),
      `the old secret still works at ${path}: ${output}`,
    )
  }
}

import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { parseApiKey } from '../../../webhooks/credentials/api-key.ts'
import { APP } from '../../faults/verify-people.ts'
import { drawSecret } from '../stack/settings.ts'
import { postJson } from './people.ts'
import { rollOut, underLoad } from './roll-out.ts'
import { expectThat, INSTANCES, type World } from './world.ts'

const PAGE = 'docs/operations/secrets.md'

/** Those that are lists: the first is used, all are accepted. */
const LISTS = [
  'LOGIN_TOKEN_SECRET',
  'COOKIE_KEYS',
  'SIGNING_KEY_SECRET',
  'API_KEY_PEPPER',
  'CLIENT_SECRET_PEPPER',
] as const

/** Those that Hasura has, too, which knows only one. */
const SHARED = ['HASURA_GRAPHQL_ADMIN_SECRET', 'INTERNAL_SECRET'] as const

type Changed = Readonly<Record<string, { old: string; new: string }>>

/**
 * Changes every secret that is a list, or that Hasura has, too, in the three steps of docs/operations/secrets.md, all of them at a
 * time, while people verify, sign-ins begin and a team reads; then the old ones are worth nothing.
 *
 * @param hasuras how many instances of Hasura there are
 * @returns what was seen, and the new client secret of the demo app
 */
export async function changeEverySecret(
  world: World,
  hasuras: number,
): Promise<{ seen: string; clientSecret: string }> {
  const { stack } = world
  const names = [...LISTS, ...SHARED]
  const changed: Changed = Object.fromEntries(
    names.map((name) => [name, { old: stack.envFile.value(name), new: drawSecret() }]),
  )
  const keyToReset = world.apiKey
  // Not reset, and so refused in the end. A key ends when it is reset: who uses it meanwhile would be refused.
  const oldKey = world.otherKey
  world.apiKey = oldKey
  let clientSecret = ''
  const seen = await underLoad(world, async () => {
    stack.envFile.change(firstStep(changed))
    await rollOutServices(world)
    stack.envFile.change(secondStep(changed))
    await rollOut(world, 'hasura', hasuras)
    await rollOutServices(world)
    clientSecret = await renewWhatIsBound(world, keyToReset)
    stack.envFile.change(thirdStep(changed))
    await rollOutServices(world)
  })
  await expectOldRefused(world, oldKey, changed)
  return { seen, clientSecret }
}

/**
 * Changes the passwords of the database as docs/operations/secrets.md says, under load. PostgreSQL knows one password of each role, so
 * an old instance that opens another connection is refused, and its callers are told to try again.
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

/** `old,new`: every instance accepts the new one, and none uses it yet. */
function firstStep(changed: Changed): Record<string, string> {
  return {
    ...pick(LISTS, (name) => `${changed[name]?.old},${changed[name]?.new}`),
    ...also((name) => changed[name]?.new ?? ''),
  }
}

/** `new,old`: the new one is used, and what was made with the old one still holds. */
function secondStep(changed: Changed): Record<string, string> {
  return {
    ...pick(LISTS, (name) => `${changed[name]?.new},${changed[name]?.old}`),
    ...pick(SHARED, (name) => changed[name]?.new ?? ''),
    ...also((name) => changed[name]?.old ?? ''),
  }
}

/** `new`: the old one is worth nothing. */
function thirdStep(changed: Changed): Record<string, string> {
  return { ...pick(LISTS, (name) => changed[name]?.new ?? ''), ...also(() => '') }
}

function pick(names: readonly string[], value: (name: string) => string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value(name)]))
}

function also(value: (name: (typeof SHARED)[number]) => string): Record<string, string> {
  return Object.fromEntries(SHARED.map((name) => [`${name}_ALSO`, value(name)]))
}

async function rollOutServices(world: World): Promise<void> {
  for (const [service, count] of Object.entries(INSTANCES)) await rollOut(world, service, count)
}

const Reset = z.object({
  data: z.object({ reset_client_secret: z.object({ client_secret: z.string() }) }),
})
const ResetKey = z.object({
  data: z.object({ reset_api_key: z.object({ api_key: z.string() }) }),
})

/** Between the second and the third step: what a stored hash or a sealed key cannot be turned into is made anew. */
async function renewWhatIsBound(world: World, keyToReset: string): Promise<string> {
  const { baseUrl, stack } = world
  const headers = { authorization: `Bearer ${keyToReset}` }
  const query = `mutation { reset_client_secret(app_id: "${APP}") { client_secret } }`
  const reset = await postJson(`${baseUrl}/v1/graphql`, { query }, headers)
  world.apiKey = await resetApiKey(world, keyToReset)
  // Months later: the keys that were sealed with the old secret have expired, and are deleted.
  await stack.sql("delete from jwks where use = 'sign-in' or use = 'verification'")
  await stack.asDocumented('docs/operations/install.md', 'signing-key')
  return Reset.parse(reset.body).data.reset_client_secret.client_secret
}

/** As an owner does at the portal; people alone may, so this is sent as one of them, from inside. */
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
  const said = await stack.compose('exec', '--no-TTY', 'webhooks', 'node', '-e', script)
  return ResetKey.parse(JSON.parse(said)).data.reset_api_key.api_key
}

async function expectOldRefused(world: World, oldKey: string, changed: Changed): Promise<void> {
  const query = '{ app { id } }'
  const byKey = await postJson(
    `${world.baseUrl}/v1/graphql`,
    { query },
    { authorization: `Bearer ${oldKey}` },
  )
  expectThat('errors' in Object(byKey.body), 'the old API key still works')
  for (const [path, secret] of [
    ['http://127.0.0.1:3000/api/_expire', `Bearer ${changed.INTERNAL_SECRET?.old}`],
    ['http://hasura:8080/v1/graphql', ''],
  ] as const) {
    const headers = secret
      ? { authorization: secret }
      : { 'x-hasura-admin-secret': changed.HASURA_GRAPHQL_ADMIN_SECRET?.old }
    const script = `fetch('${path}', { method: 'POST', headers: ${JSON.stringify(headers)}, body: '{"query":"{ app { id } }"}' })
      .then(async (r) => console.log(r.status, await r.text()))`
    const said = await world.stack.compose('exec', '--no-TTY', 'webhooks', 'node', '-e', script)
    expectThat(
      /^40[13] |access-denied/.test(said),
      `the old secret still works at ${path}: ${said}`,
    )
  }
}

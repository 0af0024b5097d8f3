import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { createRoles } from '../../packages/platform/parts/database-roles.ts'
import { documentedCommands } from '../../trials/containers/documented-commands.ts'
import { startChain, type TestChain } from '../support/chain.ts'
import { type Database, database } from '../support/database.ts'
import { CALLBACK } from '../support/oidc/register-client.ts'
import { findEarlierVersion, unpackVersion } from '../support/operations/earlier-version.ts'
import {
  type Addresses,
  chooseAddresses,
  type RunningVersion,
  runVersion,
  startMigratedEngine,
} from '../support/operations/run-version.ts'
import {
  ACCOUNT,
  callsTo,
  createTeam,
  type OpenSignIn,
  PAYEE,
  ROOT,
  SIGNED_IN_PERSON,
  type UpgradedTeam,
  VERIFIED_PERSON,
} from '../support/operations/team-of-upgrade.ts'

// Runs version 0.9.0 from the history of this repository, upgrades it to this version with the commands of
// docs/operations/upgrade.md, and goes back. This version's engine replaces Hasura.

const PAGE = 'docs/operations/upgrade.md'
/** A person whom only this version counts. */
const NEW_PERSON = 8n
const earlier = findEarlierVersion()
const reason = 'missing' in earlier ? ` (skipped: ${earlier.missing})` : ''

/** The folder with version 0.9.0. */
let earlierFolder: string
let db: Database
let chain: TestChain
let addresses: Addresses
let version: RunningVersion
let calls: ReturnType<typeof callsTo>
let team: UpgradedTeam
let openSignIn: OpenSignIn
let tokens: { accessToken: string; idToken: string }
let keys: Awaited<ReturnType<typeof readKeys>>
let rowsBefore: Record<string, unknown> | undefined
const notices: string[] = []

/** Runs the services of 0.9.0, which connects to the database as superuser. */
const runEarlier = () =>
  runVersion({
    folder: earlierFolder,
    addresses,
    rpcUrl: chain.rpcUrl,
    hasuraUrl: db.url,
    signInUrl: db.url,
  })

const runCurrent = () =>
  runVersion({
    folder: process.cwd(),
    addresses,
    rpcUrl: chain.rpcUrl,
    hasuraUrl: db.as('hasura'),
    signInUrl: db.as('sign_in'),
  })

/** Runs the commands of a block of the page. Parts of this test replace the containers. */
async function runDocumented(block: string) {
  for (const line of documentedCommands(PAGE, block).trim().split('\n')) await runCommand(line)
}

async function runCommand(line: string) {
  const file = /^docker compose exec .* psql .* < (ops\/\S+)$/.exec(line)?.[1]
  if (file === 'ops/roles.sql') await createRoles(db.url, inject('rolePasswords'))
  else if (file) await runFile(file)
  else if (/^docker compose stop .*hasura/.test(line)) await stopVersion()
  else if (/^docker compose up .* hasura$/.test(line)) await migrate()
  // This command gives PostgreSQL's container the passwords of its roles.
  else if (!/^docker compose up .* postgres$/.test(line)) throw new Error(`What is "${line}"?`)
}

async function stopVersion() {
  await version.stop()
  // Reads the rows of 0.9.0 only now, since its schedules may have changed rows until now.
  rowsBefore ??= await readRows()
}

async function runFile(file: string) {
  const client = new Client(db.url)
  client.on('notice', ({ message }) => notices.push(String(message)))
  await client.connect()
  await client.query(readFileSync(file, 'utf8')).finally(() => client.end())
}

/** Runs commands in a folder, and returns what they print. */
function runShell(cwd: string, commands: string): string {
  const { stdout, stderr } = spawnSync('bash', ['-c', commands], { cwd, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout
}

/** Applies the migrations of this version, as Hasura does when it starts. */
async function migrate() {
  const engine = await startMigratedEngine(process.cwd(), db.as('hasura'), addresses.baseUrl)
  await engine.stop()
}

/** Adds a row to each table of 0.9.0 that has none. */
async function fillOtherTables() {
  await db.query(`
    insert into price (crypto, fiat, amount, observed_at, source) values ('USDCE', 'USD', '1000000', now(), 'test');
    insert into email_verification (token_hash, user_id) select repeat('1', 64), id from "user";
    insert into invite_token (token_hash, invite_id) select repeat('2', 64), id from invite;
    insert into invite (team_id, email, role) select id, 'owner-2@example.com', 'OWNER' from team;
    insert into transaction (app_id, type, reference, chain, transaction_hash, token, token_amount, "to")
      select id, 'transaction', 'order-2', 'local', '0x' || repeat('b', 64), 'USDCE', '1', '0x' || repeat('c', 40) from app;
    insert into redirect (app_id, redirect_uri) select id, 'https://localhost6/callback' from app;
  `)
}

/** Reads the rows of the tables that both versions have. Leaves out columns of 0.9.0 that this version lacks or changes. */
async function readRows() {
  const { rows } = await db.query(`
    select
      (select jsonb_agg(to_jsonb(app)) from app) as apps,
      (select jsonb_agg(to_jsonb(action) order by id) from action) as actions,
      (select jsonb_agg(to_jsonb(api_key)) from api_key) as keys,
      (select jsonb_agg(to_jsonb(nullifier) - 'id' order by nullifier_hash) from nullifier) as nullifiers,
      (select jsonb_agg(to_jsonb("user")) from "user") as users,
      (select jsonb_agg(to_jsonb(membership)) from membership) as memberships,
      (select jsonb_agg(to_jsonb(jwks) order by id) from jwks) as signing_keys,
      (select jsonb_agg(to_jsonb(audit) order by id) from audit) as audits,
      (select jsonb_agg(to_jsonb(price)) from price) as prices,
      (select jsonb_agg(to_jsonb(mail) order by id) from mail) as mails,
      (select jsonb_agg(secret_hash) from sign_in_client) as client_secrets,
      (select jsonb_agg(reference order by reference) from transaction) as payments,
      (select count(*) from oidc_artifact) as sign_ins,
      (select count(*) from invite_token) as invite_links`)
  return rows[0]
}

/** Reads the public keys of both services. */
async function readKeys() {
  return { verification: await calls.keys(), signIn: await calls.signInKeys() }
}

/** Returns the tables without rows, which the test would not carry over. */
async function findEmptyTables(): Promise<string[]> {
  const { rows } = await db.query(`
    select relname as name
    from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
      and (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from public.%I', relname), true, true, '')))[1]::text = '0'`)
  return rows.map(({ name }) => name)
}

describe.skipIf('missing' in earlier)(`from 0.9.0 to this version and back${reason}`, () => {
  beforeAll(async () => {
    if ('missing' in earlier) throw new Error(earlier.missing)
    earlierFolder = unpackVersion(earlier.commit)
    ;[db, chain, addresses] = await Promise.all([database(), startChain(), chooseAddresses()])
    await publishRoot({ rpcUrl: chain.rpcUrl, group: 'staging', root: ROOT })
    calls = callsTo(addresses)
    version = await runEarlier()
    team = await createTeam(addresses, db)
    const verification = await calls.verify(team.app, VERIFIED_PERSON)
    expect(verification.status).toBe(200)
    tokens = await calls.tokens(team.client).makeTokens()
    keys = await readKeys()
    openSignIn = await calls.beginSignIn(team.client)
    await fillOtherTables()
  })
  afterAll(async () => {
    await version?.stop()
    await chain?.stop()
    await db?.drop()
    rmSync(earlierFolder, { recursive: true })
  })

  test('the documented commands turn the variables of 0.9.0 into variables of this version', () => {
    const folder = temporaryFolder('variables-')
    copyFileSync(join(earlierFolder, '.env.example'), join(folder, '.env'))
    copyFileSync('.env.example', join(folder, '.env.example'))
    runShell(folder, documentedCommands(PAGE, 'variables'))
    expect(runShell(folder, documentedCommands('docs/operations/install.md', 'names'))).toBe('')
    const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n')
    const compose = readFileSync('docker-compose.yml', 'utf8')
    const required = [...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => `${name}=`)
    expect(lines.map((line) => line.replace(/=.*/, '='))).toEqual(expect.arrayContaining(required))
    expect(lines).toContain('PROXY_API_ADDRESS=3000')
    expect(lines).toContain('GROUPS_PRODUCTION=semaphore.wld.eth=orb')
    expect(lines).toContain('GROUPS_STAGING=staging.semaphore.wld.eth=all')
    rmSync(folder, { recursive: true })
  })

  test('the documented commands carry over the rows of every table', async () => {
    expect(await findEmptyTables()).toEqual([])
    await runDocumented('carry-over')
    expect(rowsBefore).toBeDefined()
    expect(await readRows()).toMatchObject(rowsBefore ?? {})
    const incomplete = notices.filter((notice) => !/^\w+: [1-9]\d* rows$/.test(notice))
    expect(incomplete).toEqual([
      'email_verification: not copied, this version has no such table',
      'nullifier: 2 rows, without id',
    ])
    version = await runCurrent()
  })

  test('invites and transactions that this version does not allow are adapted, and such redirects are left out', async () => {
    const { rows } = await db.query(`
      select
        (select array_agg(role order by role) from invite) as roles,
        (select array_agg(redirect_uri) from redirect) as redirects,
        (select jsonb_agg(jsonb_build_array(reference, token, token_amount, "to") order by reference) from transaction)
          as transactions`)
    expect(rows[0]).toEqual({
      roles: ['ADMIN', 'MEMBER'],
      redirects: [CALLBACK],
      transactions: [
        ['order-1', 'USDCE', '1000000', PAYEE],
        ['order-2', '', '', ''],
      ],
    })
  })

  test('a person whom 0.9.0 counted is not counted again, and a new person is counted', async () => {
    expect(await calls.verify(team.app, VERIFIED_PERSON)).toMatchObject({
      status: 400,
      body: { code: 'max_verifications_reached' },
    })
    expect(await calls.verify(team.app, NEW_PERSON)).toMatchObject({ body: { uses: 1 } })
  })

  test('an API key of 0.9.0 reads the members, and the payment is still pending', async () => {
    const { membership } = await calls.graphql(
      team.apiKey,
      '{ membership { role user { email } } }',
    )
    expect(membership).toEqual([{ role: 'OWNER', user: { email: ACCOUNT.email } }])
    expect(await calls.payment(team)).toMatchObject({
      status: 200,
      body: { reference: 'order-1', transaction_status: 'pending' },
    })
  })

  test('a member logs in with the password of 0.9.0, and a login token of 0.9.0 is rejected', async () => {
    expect(await calls.logIn()).toMatchObject({ status: 200 })
    expect(await calls.readTeam(team.loginToken)).toMatchObject({ status: 401 })
  })

  test('a website signs people in with its client secret of 0.9.0, with the same keys', async () => {
    expect(await readKeys()).toEqual(keys)
    const website = calls.tokens(team.client)
    const { accessToken } = await website.makeTokens()
    const person = { sub: `0x${SIGNED_IN_PERSON.toString(16).padStart(64, '0')}` }
    expect(await website.userinfo(accessToken)).toMatchObject({ status: 200, body: person })
    // An access token of 0.9.0 works until it expires.
    expect(await website.userinfo(tokens.accessToken)).toMatchObject({ status: 200, body: person })
  })

  test('a sign-in that began with 0.9.0 completes', async () => {
    const { visitor, page } = openSignIn
    const answer = await visitor.prove(page, { nullifier: SIGNED_IN_PERSON })
    const back = await visitor.request(Object(await answer.json()).redirect_to)
    const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const { basic: authorization } = team.client
    expect(await calls.tokens(team.client).redeem({ code }, { authorization })).toMatchObject({
      status: 200,
    })
  })

  test('after the way back, 0.9.0 has its rows, and the people whom this version has counted', async () => {
    const newTokens = await calls.tokens(team.client).makeTokens()
    const newKey = await calls.createKey(team.id, await calls.loginToken())
    await runDocumented('undo')
    version = await runEarlier()
    expect(notices).toContain('nullifier: 2 people counted since the upgrade are kept')
    for (const person of [VERIFIED_PERSON, NEW_PERSON])
      expect(await calls.verify(team.app, person)).toMatchObject({ status: 400 })
    expect(await calls.payment(team)).toMatchObject({ status: 200 })
    expect(await calls.readTeam(team.apiKey)).toMatchObject({ status: 200 })
    expect(await calls.readTeam(team.loginToken)).toMatchObject({ status: 200 })
    expect(await calls.tokens(team.client).userinfo(newTokens.accessToken)).toMatchObject({
      status: 401,
    })
    expect(await calls.readTeam(newKey)).toMatchObject({ status: 401 })
    expect((await calls.tokens(team.client).makeTokens()).accessToken).not.toBe('')
    expect(await readKeys()).toEqual(keys)
  })
})

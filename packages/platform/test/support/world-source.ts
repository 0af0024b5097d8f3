import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Kind, parse, visit } from 'graphql'
import { SignJWT } from 'jose'
import { type Database, database } from '../../../../test/support/database.ts'
import { replaceAll } from '../../../../test/support/hasura/given-hasura.ts'
import { serveEngineHere } from '../../../engine/test/support/serve-here.ts'

const KEY = 'a-key-of-the-tests-that-is-just-long-enough'

/** The tables of World's developer portal, as far as an API key reads them (worldcoin/developer-portal 657f6222). */
const TABLES = `
  create table app (id text primary key, team_id text not null, is_staging boolean not null);
  create table app_metadata (
    id text primary key, app_id text not null references app, name text not null,
    verification_status text not null, updated_at timestamptz not null default now());
  create table action (
    id text primary key default 'action_' || md5(random()::text), app_id text not null references app,
    action text not null, name text not null default '', description text not null default '',
    max_verifications integer not null default 1, status text not null default 'active',
    external_nullifier text not null default '', created_at timestamptz not null default now());
  create table nullifier (
    id text primary key default 'nil_' || md5(random()::text), action_id text not null references action,
    nullifier_hash text not null unique, uses integer not null default 1,
    created_at timestamptz not null default now());
  create index on nullifier (action_id, uses);
`

const ofTeam = { team_id: { _eq: 'X-Hasura-Team-Id' } }

/** The columns that the role api_key may read there. A person's uses are not among them, and no table has aggregates. */
const PERMISSIONS = {
  app: { columns: ['id', 'is_staging', 'team_id'], filter: ofTeam },
  app_metadata: {
    columns: ['id', 'name', 'verification_status', 'updated_at'],
    filter: { app: ofTeam },
  },
  action: {
    columns: [
      'id',
      'app_id',
      'action',
      'name',
      'description',
      'max_verifications',
      'status',
      'external_nullifier',
      'created_at',
    ],
    filter: { app: ofTeam },
  },
  nullifier: {
    columns: ['id', 'action_id', 'nullifier_hash', 'created_at'],
    filter: { action: { app: ofTeam } },
  },
}

const PARENTS = {
  app_metadata: ['app', 'app_id'],
  action: ['app', 'app_id'],
  nullifier: ['action', 'action_id'],
}

/** The proxy's record of requests, and what a test makes it do. */
type Front = {
  requests: number
  /** How many of the next requests get 503. */
  failures: number
  /** The depths of nesting of all operations. */
  depths: Set<number>
  /** Runs before the request with this number is forwarded. */
  onRequest: (number: number) => Promise<void>
}

/**
 * Serves World's tables with our engine, with the permissions of World's API keys. A proxy in front of the engine rejects
 * operations that World's limit of nesting rejects, and can fail on purpose.
 *
 * @param role `user` may also read the uses of people
 */
export async function serveWorld(role: 'api_key' | 'user' = 'api_key') {
  const db = await database()
  await db.query(TABLES)
  const engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
    HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
  })
  await replaceAll(engine, metadataOf(db, role))
  const front: Front = { requests: 0, failures: 0, depths: new Set(), onRequest: async () => {} }
  const server = createServer(async (request, response) => {
    front.requests += 1
    const body = await text(request)
    await front.onRequest(front.requests)
    front.depths.add(depthOf(JSON.parse(body).query))
    if (front.failures > 0) {
      front.failures -= 1
      response.writeHead(503, { 'retry-after': '0' }).end('busy')
      return
    }
    const answer = await fetch(`${engine.url}/v1/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: request.headers.authorization ?? '',
      },
      body,
    })
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The test's server listens on a TCP port, so its address has one.
  const { port } = server.address() as AddressInfo
  return {
    db,
    front,
    url: `http://127.0.0.1:${port}/v1/graphql`,
    apiKey: await signKey(role),
    async stop() {
      server.close()
      server.closeAllConnections()
      await engine.stop()
      await db.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof serveWorld>>

function metadataOf({ url }: Database, role: string): object {
  const tables = Object.entries(PERMISSIONS).map(([name, { columns, filter }]) => {
    const [parent, column] = Object.entries(PARENTS).find(([child]) => child === name)?.[1] ?? []
    const readable = name === 'nullifier' && role === 'user' ? [...columns, 'uses'] : columns
    return {
      table: { schema: 'public', name },
      object_relationships: parent
        ? [{ name: parent, using: { foreign_key_constraint_on: column } }]
        : [],
      select_permissions: [{ role, permission: { columns: readable, filter } }],
    }
  })
  const configuration = { connection_info: { database_url: url } }
  return { version: 3, sources: [{ name: 'default', kind: 'postgres', tables, configuration }] }
}

function signKey(role: string): Promise<string> {
  const claims = {
    'x-hasura-allowed-roles': [role],
    'x-hasura-default-role': role,
    'x-hasura-team-id': 'team_world',
  }
  return new SignJWT({ 'https://hasura.io/jwt/claims': claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(KEY))
}

function depthOf(query: string): number {
  let depth = 0
  let deepest = 0
  visit(parse(query), {
    [Kind.FIELD]: {
      enter() {
        depth += 1
        deepest = Math.max(deepest, depth)
      },
      leave() {
        depth -= 1
      },
    },
  })
  return deepest
}

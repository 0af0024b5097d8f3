import {
  createApiKeySecret,
  formatApiKey,
  hashApiKey,
} from '../../../webhooks/credentials/api-key.ts'
import type { Database } from '../database.ts'
import { PEPPER } from './platform-environment.ts'

/** A team with the API key of its server. */
export type Team = { id: string; apiKey: string; keyId: string }
type AppFields = {
  team: Team
  id?: string
  is_staging?: boolean
  engine?: string
  status?: string
}
type ActionFields = {
  id?: string
  action?: string
  max_verifications?: number
  status?: string
  return_url?: string
}

/** Returns the functions that insert rows into a platform's database. */
export function rowsIn(db: Database) {
  return {
    team: () => makeTeam(db),
    app: (fields: AppFields) => makeApp(db, fields),
    action: (appId: string, fields?: ActionFields) => makeAction(db, appId, fields),
  }
}

/** Inserts a team with an API key. */
export async function makeTeam(db: Pick<Database, 'query'>): Promise<Team> {
  const { rows } = await db.query("insert into team (name) values ('Team') returning id")
  const id: string = rows[0].id
  const keyRows = await db.query(
    "insert into api_key (team_id, name, secret_hash) values ($1, 'Key', repeat('0', 64)) returning id",
    [id],
  )
  const key = { id: keyRows.rows[0].id, secret: createApiKeySecret() }
  await db.query('update api_key set secret_hash = $2 where id = $1', [
    key.id,
    hashApiKey([PEPPER], key),
  ])
  return { id, apiKey: formatApiKey(key), keyId: key.id }
}

/** Inserts an app of a team. */
export function makeApp(db: Database, fields: AppFields): Promise<string> {
  const { team, id = null, is_staging = true, engine = 'cloud', status = 'active' } = fields
  return insertRow(
    db,
    "insert into app (id, team_id, name, is_staging, engine, status) values ($1, $2, 'App', $3, $4, $5) returning id",
    [id, team.id, is_staging, engine, status],
  )
}

/** Inserts an action of an app, by default an action that each person may do once. */
export function makeAction(
  db: Database,
  appId: string,
  fields: ActionFields = {},
): Promise<string> {
  const { id = null, action = 'vote', max_verifications = 1 } = fields
  const { status = 'active', return_url = '' } = fields
  return insertRow(
    db,
    'insert into action (id, app_id, action, max_verifications, status, return_url) values ($1, $2, $3, $4, $5, $6) returning id',
    [id, appId, action, max_verifications, status, return_url],
  )
}

/** Inserts a row, and returns its id: the first value, or the id that the database chooses. */
async function insertRow(db: Database, text: string, values: readonly unknown[]): Promise<string> {
  if (values[0] === null) return (await db.query(text, [...values])).rows[0].id
  await db.query('begin')
  await db.query("set local platform.fixed_ids = 'on'")
  const { rows } = await db.query(text, [...values])
  await db.query('commit')
  return rows[0].id
}

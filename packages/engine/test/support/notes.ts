import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import { type RunningEngine, readAnswer, type ServedEngine, startEngine } from './start-engine.ts'

/** An engine with only an admin secret, on a database that other engines of a test can use too. */
export type Notes = { db: Database; adminEngine: RunningEngine; stop(): Promise<void> }

/** Serves two notes: 1 is ada's and 2 is bob's. A user sees their own note, and the role `anonymous` sees note 2. */
export async function serveNotes(): Promise<Notes> {
  const db = await database()
  const adminEngine = await startEngine(db.url)
  await adminEngine.post(
    '/v2/query',
    runSql(`create table note (id int primary key, owner text);
    insert into note values (1, 'ada'), (2, 'bob')`),
  )
  const permission = (role: string, filter: object) => ({
    role,
    permission: { columns: '*', filter },
  })
  const ownRows = { owner: { _eq: 'X-Hasura-User-Id' } }
  const note = table('note', {
    select_permissions: [permission('user', ownRows), permission('anonymous', { id: { _eq: 2 } })],
  })
  await adminEngine.post('/v1/metadata', replace(metadata([note])))
  return {
    db,
    adminEngine,
    async stop() {
      await adminEngine.stop()
      await db.drop()
    },
  }
}

/** The request body that reads the notes. */
export const NOTES = JSON.stringify({ query: '{ note(order_by: {id: asc}) { id } }' })

/** Returns the ids that a caller with only these headers gets, or the error code. */
export async function readNoteIds(engine: ServedEngine, headers: Record<string, string>) {
  const reply = await fetch(`${engine.url}/v1/graphql`, { method: 'POST', headers, body: NOTES })
  const { body } = await readAnswer(reply)
  if (isData(body)) return body.data.note.map(({ id }) => id)
  if (isErrors(body)) return body.errors[0]?.extensions.code
  return body
}

function isData(body: unknown): body is { data: { note: { id: number }[] } } {
  return typeof body === 'object' && body !== null && 'data' in body
}

function isErrors(body: unknown): body is { errors: { extensions: { code: string } }[] } {
  return typeof body === 'object' && body !== null && 'errors' in body
}

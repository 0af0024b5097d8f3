import { vi } from 'vitest'
import { z } from 'zod'
import { INTERNAL_SECRET } from './platform-environment.ts'
import type { TestPlatform } from './start-platform.ts'

const Reply = z.object({ data: z.any(), errors: z.any() }).partial()

export type Person = {
  id: string
  email: string
  /** Of the team that they made when they signed up. */
  team: string
  /** One GraphQL operation with their login token. */
  graphql(query: string, variables?: object): Promise<z.infer<typeof Reply>>
}

/** Everybody has another address, also where files share a platform. */
let count = 0

/** Signs people up and verifies their addresses. */
export function peopleOf(platform: TestPlatform) {
  return async (email = `person-${++count}@example.com`): Promise<Person> => {
    const account = { email, password: 'difference', name: 'Person', team_name: 'Team' }
    const { body } = await platform.post('/api/v1/signup', account)
    const { token } = z.object({ token: z.string() }).parse(body)
    const { rows } = await platform.db.query(
      `update "user" set email_verified_at = now() from membership
      where email = $1 and user_id = "user".id returning "user".id, team_id`,
      [email],
    )
    const headers = { authorization: `Bearer ${token}` }
    return {
      id: rows[0].id,
      email,
      team: rows[0].team_id,
      async graphql(query, variables = {}) {
        const reply = await platform.post('/v1/graphql', { query, variables }, headers)
        return Reply.parse(reply.body)
      },
    }
  }
}

/** Calls the handler as Hasura does. */
export function callAction(platform: TestPlatform, name: string, input: object, session: object) {
  return platform.post(
    '/hasura/actions',
    { action: { name }, input, session_variables: session, request_query: null },
    { authorization: `Bearer ${INTERNAL_SECRET}` },
  )
}

/** The answer to a call that comes while the account is being deleted, and so has to wait in a statement with this text. */
export async function whileDeleting<T>(
  platform: TestPlatform,
  { id }: Person,
  call: () => Promise<T>,
  statement = '',
): Promise<T> {
  await platform.db.query('begin')
  await platform.db.query('select from delete_account($1)', [id])
  const answer = call()
  await someoneWaits(platform, statement)
  await platform.db.query('commit')
  return answer
}

/** Resolves when somebody waits for what the transaction of `db` holds, in a statement with this text. */
export async function someoneWaits({ db }: TestPlatform, statement = ''): Promise<void> {
  const waiting = `select from pg_stat_activity
    where pg_backend_pid() = any (pg_blocking_pids(pid)) and position($1 in query) > 0`
  const isWaiting = async () => {
    // Within a transaction the statements of others are otherwise those of the first look.
    await db.query('select pg_stat_clear_snapshot()')
    return (await db.query(waiting, [statement])).rowCount
  }
  await vi.waitUntil(isWaiting, 30_000)
}

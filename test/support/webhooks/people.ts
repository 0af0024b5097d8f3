import { vi } from 'vitest'
import { z } from 'zod'
import { INTERNAL_SECRET } from './platform-environment.ts'
import type { TestPlatform } from './start-platform.ts'

const Reply = z.object({ data: z.any(), errors: z.any() }).partial()

export type Person = {
  id: string
  email: string
  /** The team that the person created at signup. */
  team: string
  /** Runs a GraphQL operation with the person's login token. */
  graphql(query: string, variables?: object): Promise<z.infer<typeof Reply>>
}

/** Counts over all files of a worker, which may share a platform, so that no address repeats. */
let count = 0

/** Returns a function that signs up a person and verifies the address. */
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

/** Calls the handler of an action like Hasura. */
export function callAction(platform: TestPlatform, name: string, input: object, session: object) {
  return platform.post(
    '/hasura/actions',
    { action: { name }, input, session_variables: session, request_query: null },
    { authorization: `Bearer ${INTERNAL_SECRET}` },
  )
}

/**
 * Makes a call while a transaction deletes the account. Commits the deletion once a statement of the
 * call, with this text, waits for the transaction. Returns the call's response.
 */
export async function whileDeleting<T>(
  platform: TestPlatform,
  { id }: Person,
  call: () => Promise<T>,
  statement: string,
): Promise<T> {
  await platform.db.query('begin')
  await platform.db.query('select from delete_account($1)', [id])
  const answer = call()
  await someoneWaits(platform, statement)
  await platform.db.query('commit')
  return answer
}

/**
 * Resolves once a statement with this text waits for a lock of the open transaction of `db`. The text
 * is required, because a statement of the mailer can wait for the same lock.
 */
export async function someoneWaits({ db }: TestPlatform, statement: string): Promise<void> {
  const waiting = `select from pg_stat_activity
    where pg_backend_pid() = any (pg_blocking_pids(pid)) and position($1 in query) > 0`
  const isWaiting = async () => {
    // Within a transaction, pg_stat_activity otherwise repeats its first snapshot.
    await db.query('select pg_stat_clear_snapshot()')
    return (await db.query(waiting, [statement])).rowCount
  }
  await vi.waitUntil(isWaiting, 30_000)
}

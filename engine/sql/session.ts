import { printParameter, TEXT } from './expression.ts'
import { sql } from './sql.ts'

const variables = printParameter({
  type: TEXT,
  read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)),
})

/**
 * Sets the session variables until the transaction ends:
 * triggers and functions read `current_setting('hasura.user')`.
 */
export const SET_SESSION = sql`set_config('hasura.user', ${variables}, true)`

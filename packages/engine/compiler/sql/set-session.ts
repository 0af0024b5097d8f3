import { sql } from '../../postgres/sql.ts'
import { printParameter, TEXT } from './typed.ts'

const variables = printParameter({
  type: TEXT,
  read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)),
})

/**
 * The SQL expression that sets the session variables until the end of the transaction. Triggers and functions read them
 * by `current_setting('hasura.user')`.
 */
export const SET_SESSION = sql`set_config('hasura.user', ${variables}, true)`

import { sql } from '../../postgres/sql.ts'
import { printParameter, TEXT } from './typed.ts'

const variables = printParameter({
  type: TEXT,
  read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)),
})

/**
 * Sets the session variables until the end of the transaction; triggers and functions read
 * `current_setting('hasura.user')`.
 */
export const SET_SESSION = sql`set_config('hasura.user', ${variables}, true)`

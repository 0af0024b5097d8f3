import { printParameter, TEXT } from './expression.ts'
import { sql } from './sql.ts'

const variables = printParameter({
  type: TEXT,
  read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)),
})

/** Says who asks, until the transaction ends: triggers and functions find it as `current_setting('hasura.user')`. */
export const TELL_SESSION = sql`set_config('hasura.user', ${variables}, true)`

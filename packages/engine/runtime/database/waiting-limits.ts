/** The settings that limit how long a statement or transaction may wait. */
const LIMITS = `name in ('statement_timeout', 'lock_timeout', 'transaction_timeout')`

/** Lifts the role's limits for the rest of the transaction, to wait for another engine. */
export const LIFT_LIMITS = `select set_config(name, '0', true) from pg_settings where ${LIMITS}`

/** Restores the role's limits. */
export const RESTORE_LIMITS = `select set_config(name, reset_val, true) from pg_settings where ${LIMITS}`

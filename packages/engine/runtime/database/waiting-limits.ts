/** The settings that limit how long a statement or a transaction may wait for others. */
const LIMITS = `name in ('statement_timeout', 'lock_timeout', 'transaction_timeout')`

/** Lifts, for the rest of the transaction, the limits of the role: for who waits until another engine is done. */
export const LIFT_LIMITS = `select set_config(name, '0', true) from pg_settings where ${LIMITS}`

/** Sets them again. */
export const RESTORE_LIMITS = `select set_config(name, reset_val, true) from pg_settings where ${LIMITS}`

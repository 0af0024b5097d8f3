import { DatabaseError } from 'pg'
import { FAILURES } from '../../compiler/sql/fail-mutation.ts'
import { EngineError, type ErrorCode } from '../../errors.ts'
import { AnswerTooLarge } from './answer-bound.ts'

/** The failed statement, for the error's path and its `internal` part. */
export type FailedStatement = {
  path: string
  zeroRowsPath?: string | undefined
  text: string
  values: readonly (string | null)[]
}

/**
 * Translates a statement's error for the caller. Except for `AnswerTooLarge`, an error that is not from PostgreSQL counts as a
 * lost connection.
 */
export function translatePostgresError(thrown: unknown, statement: FailedStatement): EngineError {
  if (thrown instanceof AnswerTooLarge) {
    const message = `the result is too large: ${thrown.message}. Request fewer rows.`
    return new EngineError('query-too-costly', message, { path: statement.path, cause: thrown })
  }
  if (!(thrown instanceof DatabaseError)) {
    return new EngineError('postgres-error', 'connection error', { cause: thrown })
  }
  const { code = '', message } = thrown
  const rule = RULES[code] ?? RULES[code.slice(0, 2)] ?? ruleOfRoutine(thrown)
  if (!rule) {
    return new EngineError('unexpected', 'database query error', {
      path: statement.path,
      internal: internalDetails(thrown, statement),
      cause: thrown,
    })
  }
  return new EngineError(rule.code, `${rule.prefix ?? ''}${rule.message ?? message}`, {
    path: errorPath(rule, code, statement),
    ...(rule.status && { status: rule.status }),
    cause: thrown,
  })
}

/** Translates the error of a commit, which may come from a deferred constraint or trigger. */
export function translateCommitError(thrown: unknown): EngineError {
  const commit = { path: '$', text: 'COMMIT', values: [] }
  if (!(thrown instanceof DatabaseError) || CONFLICTS_AND_OUTAGES.test(thrown.code ?? ''))
    return translatePostgresError(thrown, commit)
  const internal = internalDetails(thrown, commit)
  return new EngineError('postgres-error', 'postgres tx error', { internal, cause: thrown })
}

/** SQLSTATE classes for a lost connection (08), a conflict of transactions (40), and an intervention of an operator (57). */
const CONFLICTS_AND_OUTAGES = /^(08|40|57)/

/**
 * True if a statement failed because the database is read-only. Usually this database has become a standby of another primary.
 */
export function isReadOnly(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === '25006'
}

function errorPath(rule: Rule, code: string, { path, zeroRowsPath }: FailedStatement): string {
  if (rule.code === 'postgres-error') return '$'
  return code === FAILURES.zeroRows && zeroRowsPath !== undefined ? zeroRowsPath : path
}

type Rule = { code: ErrorCode; prefix?: string; message?: string; status?: number }

/** The translations of errors by SQLSTATE, or by its class (its first two characters). */
const RULES: Readonly<Record<string, Rule>> = {
  '23502': { code: 'constraint-violation', prefix: 'Not-NULL violation. ' },
  '23503': { code: 'constraint-violation', prefix: 'Foreign key violation. ' },
  '23505': { code: 'constraint-violation', prefix: 'Uniqueness violation. ' },
  '23P01': { code: 'constraint-violation', prefix: 'Exclusion violation. ' },
  '23001': {
    code: 'constraint-violation',
    prefix: 'Can not delete or update due to data being referred. ',
  },
  '23514': { code: 'permission-error', prefix: 'Check constraint violation. ' },
  '23': { code: 'constraint-violation' },
  '22025': { code: 'bad-request' },
  '22': { code: 'data-exception' },
  '42P10': {
    code: 'constraint-error',
    message: 'there is no unique or exclusion constraint on target column(s)',
  },
  '42704': { code: 'constraint-error' },
  '40001': {
    code: 'concurrent-update',
    message: 'serialization failure due to concurrent update',
  },
  '40P01': { code: 'concurrent-update' },
  '57014': { code: 'timeout', message: 'the statement took too long, or its caller disconnected' },
  '57P01': { code: 'postgres-error', message: 'connection error' },
  '57P02': { code: 'postgres-error', message: 'connection error' },
  '57P03': { code: 'postgres-error', message: 'connection error' },
  '25006': { code: 'postgres-error', message: 'connection error' },
  '08': { code: 'postgres-error', message: 'connection error' },
  '53300': {
    code: 'postgres-max-connections-error',
    message: 'the database has no connection left',
  },
  [FAILURES.check]: { code: 'permission-error' },
  [FAILURES.zeroRows]: { code: 'not-supported' },
  [FAILURES.determined]: { code: 'validation-failed' },
}

/** Recognizes a malformed JSON path by the name of PostgreSQL's routine, because a malformed statement has the same SQLSTATE. */
function ruleOfRoutine({ routine }: DatabaseError): Rule | undefined {
  return routine === 'jsonpath_yyerror' ? RULES['22'] : undefined
}

function internalDetails(error: DatabaseError, { text, values }: FailedStatement) {
  return {
    statement: text,
    prepared: true,
    error: {
      exec_status: 'FatalError',
      message: error.message,
      status_code: error.code ?? null,
      description: error.detail ?? null,
      hint: error.hint ?? null,
    },
    arguments: values,
  }
}

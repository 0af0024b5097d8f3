import { DatabaseError } from 'pg'
import { FAILURES } from '../../compiler/sql/fail-mutation.ts'
import { EngineError, type ErrorCode } from '../../errors.ts'
import { AnswerTooLarge } from './answer-bound.ts'

/** The statement that failed, for the error's path and its `internal` part. */
export type FailedStatement = {
  path: string
  zeroRowsPath?: string | undefined
  text: string
  values: readonly (string | null)[]
}

/** Translates a statement's error for the caller. An error that PostgreSQL did not report is taken for a lost connection. */
export function translatePostgresError(thrown: unknown, statement: FailedStatement): EngineError {
  if (thrown instanceof AnswerTooLarge) {
    const message = `the answer would be too large: ${thrown.message}. Ask for fewer rows.`
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

/** Translates the error of a commit: that of a deferred constraint or trigger, or one that any statement may have. */
export function translateCommitError(thrown: unknown): EngineError {
  const commit = { path: '$', text: 'COMMIT', values: [] }
  if (!(thrown instanceof DatabaseError) || CONFLICTS_AND_OUTAGES.test(thrown.code ?? ''))
    return translatePostgresError(thrown, commit)
  const internal = internalDetails(thrown, commit)
  return new EngineError('postgres-error', 'postgres tx error', { internal, cause: thrown })
}

/** SQLSTATEs: a connection is lost (class 08), a transaction gives way to others (40), somebody ends it (57). */
const CONFLICTS_AND_OUTAGES = /^(08|40|57)/

/**
 * Whether a statement could not write because the database takes no writes: it has become a standby, while another has
 * become the primary.
 */
export function isReadOnly(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === '25006'
}

function errorPath(rule: Rule, code: string, { path, zeroRowsPath }: FailedStatement): string {
  if (rule.code === 'postgres-error') return '$'
  return code === FAILURES.zeroRows && zeroRowsPath !== undefined ? zeroRowsPath : path
}

type Rule = { code: ErrorCode; prefix?: string; message?: string; status?: number }

/** How errors are translated: by SQLSTATE, or else by its class (its first two characters). */
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
  '57014': { code: 'timeout', message: 'the statement took too long, or its caller went away' },
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

/** A path of JSON that is malformed has the code of a statement that is: only PostgreSQL's routine tells them apart. */
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

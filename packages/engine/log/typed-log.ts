import type { Log } from '../../../lib/runtime/log/log.ts'
import type { Config } from '../config/config.ts'
import type { WrittenLogType } from '../config/log-types.ts'

/** The lines of one of Hasura's types. */
export type TypedLog = {
  /** Whether lines of this level are written. If not, callers need not collect the details. */
  writes(level: LineLevel): boolean
  /** Writes a line, if the type and the level are enabled. The detail must have no value of a header, and be short. */
  write(level: LineLevel, detail: object): void
}

export type LineLevel = 'info' | 'error'

/** Opens the log for lines of a type. It writes nothing if HASURA_GRAPHQL_ENABLED_LOG_TYPES does not have the type. */
export function openTypedLog(
  log: Log,
  type: WrittenLogType,
  { enabledLogTypes }: Pick<Config, 'enabledLogTypes'>,
): TypedLog {
  if (!enabledLogTypes.includes(type)) return { writes: () => false, write: () => {} }
  return {
    writes: (level) => log.isLevelEnabled(level),
    write: (level, detail) => log[level]({ log_type: type, detail }),
  }
}

/** Cuts a text that a client may have chosen, so that lines stay short. */
export function cutText(text: string, maxLength = MAX_NAME): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

const MAX_NAME = 500

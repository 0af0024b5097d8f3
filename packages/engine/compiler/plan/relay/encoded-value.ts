import type { EngineError } from '../../../errors.ts'
import { acceptedValue, UnacceptedValue } from '../../../postgres/accepted-value.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { encodeValue } from '../../../postgres/values.ts'

/**
 * Encodes a value of an ID or a cursor for PostgreSQL. @throws the error that `refuse` creates from the reason why the
 * type rejects the value
 */
export function encodeOrThrow(
  type: PgType,
  value: unknown,
  refuse: (reason: string) => EngineError,
): string | null {
  try {
    return encodeValue(type, acceptedValue(type, value))
  } catch (cause) {
    throw cause instanceof UnacceptedValue ? refuse(cause.message) : cause
  }
}

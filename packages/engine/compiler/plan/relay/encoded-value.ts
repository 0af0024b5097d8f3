import type { EngineError } from '../../../errors.ts'
import { acceptedValue, UnacceptedValue } from '../../../postgres/accepted-value.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { encodeValue } from '../../../postgres/values.ts'

/** A value of an id or a cursor as PostgreSQL reads it. @throws what `refuse` makes of the reason why the type does not take it */
export function encodedValue(
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

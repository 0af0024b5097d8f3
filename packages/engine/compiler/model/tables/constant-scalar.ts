import { EngineError } from '../../../errors.ts'
import { isList } from '../../../json/record.ts'
import { acceptedValue, UnacceptedValue } from '../../../postgres/accepted-value.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { elementType, encodeValue, isSessionVariable } from '../../../postgres/values.ts'
import type { Bindings, Parameter, Scalar } from '../../ir/ir.ts'
import { Inconsistent } from '../inconsistency.ts'

/**
 * Converts a value in the metadata to an SQL expression: a session variable, a list (which may contain session
 * variables), or a constant.
 *
 * @throws Inconsistent for a constant that the type rejects
 */
export function constantScalar(type: PgType, value: unknown): Scalar {
  if (isSessionVariable(value)) {
    const readVariable = sessionVariableReader(value.toLowerCase())
    return { kind: 'parameter', parameter: { type, ofSession: true, read: readVariable } }
  }
  if (isList(value) && value.some(isSessionVariable))
    return {
      kind: 'list',
      type,
      items: value.map((item: unknown) => constantScalar(elementType(type), item)),
    }
  const text = encodeValue(type, requireAccepted(type, value))
  return parameterScalar(type, () => text)
}

function requireAccepted(type: PgType, value: unknown): unknown {
  try {
    return acceptedValue(type, value)
  } catch (cause) {
    if (cause instanceof UnacceptedValue) throw new Inconsistent(cause.message, { cause })
    throw cause
  }
}

function parameterScalar(type: PgType, read: Parameter['read']): Scalar {
  return { kind: 'parameter', parameter: { type, read } }
}

function sessionVariableReader(name: string) {
  return ({ session }: Bindings): string => {
    const value = session.variables.get(name)
    if (value === undefined)
      throw new EngineError('not-found', `missing session variable: "${name}"`, { status: 400 })
    return value
  }
}

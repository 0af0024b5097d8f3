import { builtInType } from '../../../postgres/scalars.ts'
import type { Argument, Call, Name, Scalar } from '../../ir/ir.ts'
import type { FunctionArgument } from '../model.ts'

/**
 * Creates the call of a function. An argument of the kind `table` gets the current row. Optional arguments may be
 * missing from `values`.
 */
export function functionCall(
  { schema, name, args }: Name & { args: readonly FunctionArgument[] },
  values: ReadonlyMap<FunctionArgument, Scalar>,
): Call {
  const passedArguments = args.filter((arg) => arg.kind !== 'caller' || values.has(arg))
  return {
    schema,
    name,
    args: passedArguments.map(
      (arg, i): Argument => ({
        // An argument after a missing argument must be named.
        name: arg === args[i] ? null : arg.name,
        value: ENGINE_VALUES[arg.kind] ?? values.get(arg) ?? NULL,
      }),
    ),
  }
}

const JSON_TYPE = builtInType('json')

const NULL: Scalar = {
  kind: 'parameter',
  parameter: { type: builtInType('text'), read: () => null },
}

/** For each kind of argument, the value that the engine passes; null if the caller passes the value. */
const ENGINE_VALUES: Readonly<Record<FunctionArgument['kind'], Scalar | 'row' | null>> = {
  caller: null,
  table: 'row',
  session: {
    kind: 'parameter',
    parameter: {
      type: JSON_TYPE,
      read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)),
    },
  },
}

import { builtInType } from '../../../postgres/scalars.ts'
import type { Argument, Call, Name, Scalar } from '../../ir/ir.ts'
import type { FunctionArgument } from '../model.ts'

/** The call of a function on the current row with the given arguments; optional ones may be left out. */
export function functionCall(
  { schema, name, args }: Name & { args: readonly FunctionArgument[] },
  given: ReadonlyMap<FunctionArgument, Scalar>,
): Call {
  const present = args.filter((arg) => arg.kind !== 'given' || given.has(arg))
  return {
    schema,
    name,
    args: present.map(
      (arg, i): Argument => ({
        // Arguments after one that is left out must be named.
        name: arg === args[i] ? null : arg.name,
        value: FIXED[arg.kind] ?? given.get(arg) ?? NULL,
      }),
    ),
  }
}

const JSON_TYPE = builtInType('json')

const NULL: Scalar = {
  kind: 'parameter',
  parameter: { type: builtInType('text'), read: () => null },
}

/** Values that the engine itself passes for an argument; null if the caller gives it. */
const FIXED: Readonly<Record<FunctionArgument['kind'], Scalar | 'row' | null>> = {
  given: null,
  table: 'row',
  session: {
    kind: 'parameter',
    parameter: {
      type: JSON_TYPE,
      read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)),
    },
  },
}

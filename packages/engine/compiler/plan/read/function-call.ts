import { EngineError } from '../../../errors.ts'
import type { Call, Scalar } from '../../ir/ir.ts'
import type { FunctionArgument } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import { type Input, readMembers } from '../document/input.ts'
import { nullableScalar } from '../document/parameter.ts'
import type { Planner } from '../planner.ts'

/** Plans the call of a function with the members of `args`. PostgreSQL uses the default of a missing member. */
export function planFunctionCall(
  planner: Planner,
  target: { schema: string; name: string; args: readonly FunctionArgument[] },
  input: Input | null,
): Call {
  const values = new Map<FunctionArgument, Scalar>()
  if (input && input.kind !== 'absent')
    readMembers(planner, input, ({ field: { meaning }, value }) => {
      if (meaning.kind === 'argument')
        values.set(meaning.argument, nullableScalar(planner, value, meaning.argument.type))
    })
  planner.notes.addArguments(values.size)
  refuseMissingArguments(target.args, values, input?.path ?? '$')
  return functionCall(target, values)
}

/**
 * Rejects missing arguments. An argument with a default may be missing. But no argument before a passed unnamed argument
 * may be missing, because PostgreSQL finds an unnamed argument by its position.
 */
function refuseMissingArguments(
  args: readonly FunctionArgument[],
  values: ReadonlyMap<FunctionArgument, Scalar>,
  path: string,
): void {
  const missingArguments = args.filter(
    (argument) => argument.kind === 'caller' && !values.has(argument),
  )
  if (missingArguments.some(({ isOptional }) => !isOptional))
    throw new EngineError('not-supported', 'Non default arguments cannot be omitted', { path })
  const [first] = missingArguments
  const laterArguments = first ? args.slice(args.indexOf(first)) : []
  if (laterArguments.some((argument) => argument.name === null && values.has(argument)))
    throw new EngineError('not-supported', 'Only last set of positional arguments can be omitted', {
      path,
    })
}

import { EngineError } from '../../../errors.ts'
import type { Call, Scalar } from '../../ir/ir.ts'
import type { FunctionArgument } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import { type Input, readMembers } from '../document/input.ts'
import { nullableScalar } from '../document/parameter.ts'
import type { Planner } from '../planner.ts'

/** A function's call with the members of `args`; the ones that are left out take their defaults. */
export function planFunctionCall(
  planner: Planner,
  called: { schema: string; name: string; args: readonly FunctionArgument[] },
  input: Input | null,
): Call {
  const given = new Map<FunctionArgument, Scalar>()
  if (input && input.kind !== 'absent')
    readMembers(planner, input, ({ field: { meaning }, value }) => {
      if (meaning.kind === 'argument')
        given.set(meaning.argument, nullableScalar(planner, value, meaning.argument.type))
    })
  planner.notes.addArguments(given.size)
  refuseLeftOutArguments(called.args, given, input?.path ?? '$')
  return functionCall(called, given)
}

/**
 * Refuses missing arguments. Those with a default may be missing, but one without a name only if none after it
 * is given, because it is passed by position.
 */
function refuseLeftOutArguments(
  args: readonly FunctionArgument[],
  given: ReadonlyMap<FunctionArgument, Scalar>,
  path: string,
): void {
  const leftOut = args.filter((argument) => argument.kind === 'given' && !given.has(argument))
  if (leftOut.some(({ optional }) => !optional))
    throw new EngineError('not-supported', 'Non default arguments cannot be omitted', { path })
  const [first] = leftOut
  const behind = first ? args.slice(args.indexOf(first)) : []
  if (behind.some((argument) => argument.name === null && given.has(argument)))
    throw new EngineError('not-supported', 'Only last set of positional arguments can be omitted', {
      path,
    })
}

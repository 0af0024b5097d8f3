import type { FunctionArgument } from '../model/model.ts'
import { type Context, valueType } from './context.ts'
import { byName, type InputField, input, required } from './types.ts'

/** The one argument `args` of a function, or none when callers give it nothing. */
export function functionArguments(
  ctx: Context,
  { args, name }: { args: readonly FunctionArgument[]; name: string },
  typeName: string,
): InputField[] {
  const given = args.filter(({ is }) => is === 'given')
  if (given.length === 0) return []
  const type = ctx.input(typeName, null, () => byName(given.map((arg) => argument(ctx, arg))))
  const needed = given.some(({ optional }) => !optional)
  const description = `input parameters for function "${name}"`
  return [input('args', needed ? required(type) : type, { is: 'plain' }, { description })]
}

function argument(ctx: Context, arg: FunctionArgument): InputField {
  const type = valueType(ctx, { type: arg.type, enumType: null })
  return input(arg.field, type, { is: 'argument', argument: arg })
}

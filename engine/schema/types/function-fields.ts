import type { ComputedField, FunctionArgument, Table } from '../../model/model.ts'
import { type Context, valueType } from '../context.ts'
import { byName, type InputField, input, required } from '../graphql-types.ts'
import { keyText } from './key-text.ts'

/** The argument `args` of a function; no argument if callers give it nothing. */
export function functionArguments(
  ctx: Context,
  args: readonly FunctionArgument[],
  { typeName, of }: { typeName: string; of: string },
): InputField[] {
  const given = args.filter(({ kind }) => kind === 'given')
  if (given.length === 0) return []
  const type = ctx.input(typeName, null, () => byName(given.map((arg) => argument(ctx, arg))))
  const needed = given.some(({ optional }) => !optional)
  const description = `input parameters for ${of}`
  return [input('args', needed ? required(type) : type, { kind: 'plain' }, { description })]
}

/** The argument `args` of a table's computed field, if it has one. */
export function computedArguments(ctx: Context, table: Table, field: ComputedField): InputField[] {
  return functionArguments(ctx, field.args, {
    typeName: `${field.field}_${table.graphqlName}_args`,
    of: `computed field "${field.field}" defined on table "${keyText(table)}"`,
  })
}

/** Whether callers give it arguments: such a computed field cannot be used in conditions and orders. */
export function takesArguments({ args }: { args: readonly FunctionArgument[] }): boolean {
  return args.some(({ kind }) => kind === 'given')
}

function argument(ctx: Context, arg: FunctionArgument): InputField {
  const type = valueType(ctx, { type: arg.type, enumType: null })
  return input(arg.field, type, { kind: 'argument', argument: arg })
}

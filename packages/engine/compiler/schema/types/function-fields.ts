import { ADMIN } from '../../../session/session.ts'
import type { ComputedField, FunctionArgument, Table, TrackedFunction } from '../../model/model.ts'
import { fieldsByName, type InputField, inputField, requiredType } from '../graphql-types.ts'
import { type SchemaContext, valueType } from '../schema-context.ts'
import { nameForDescription } from './name-for-description.ts'

/** Returns the argument `args` of a function; none if the caller passes no arguments to the function. */
export function functionArguments(
  ctx: SchemaContext,
  args: readonly FunctionArgument[],
  { typeName, of }: { typeName: string; of: string },
): InputField[] {
  const callerArguments = args.filter(({ kind }) => kind === 'caller')
  if (callerArguments.length === 0) return []
  const type = ctx.input(typeName, null, () =>
    fieldsByName(callerArguments.map((arg) => functionArgument(ctx, arg))),
  )
  const isRequired = callerArguments.some(({ isOptional }) => !isOptional)
  const description = `input parameters for ${of}`
  return [
    inputField('args', isRequired ? requiredType(type) : type, { kind: 'plain' }, { description }),
  ]
}

/** Returns the argument `args` of a table's computed field, if it has one. */
export function computedArguments(
  ctx: SchemaContext,
  table: Table,
  field: ComputedField,
): InputField[] {
  return functionArguments(ctx, field.args, {
    // This name does not follow the naming convention, as in Hasura.
    typeName: ctx.naming.sourceType([field.field, ...table.baseName.words, 'args'].join('_')),
    of: `computed field "${field.field}" defined on table "${nameForDescription(table)}"`,
  })
}

/**
 * Returns a computed field's description: the comment in the metadata, the function's comment in the database, or a
 * generated text.
 */
export function computedDescription(field: ComputedField): string | null {
  const automatic = `A computed field, executes function "${nameForDescription(field)}"`
  return (field.comment ?? field.databaseComment ?? automatic) || null
}

/** Reports whether the caller passes arguments. If so, a computed field cannot be used in conditions and orders. */
export function takesArguments({ args }: { args: readonly FunctionArgument[] }): boolean {
  return args.some(({ kind }) => kind === 'caller')
}

function functionArgument(ctx: SchemaContext, arg: FunctionArgument): InputField {
  const type = valueType(ctx, { type: arg.type, enumType: null })
  return inputField(arg.field, type, { kind: 'argument', argument: arg })
}

/** Reports whether the role may call a tracked function. */
export function mayCall(
  { role, model }: SchemaContext,
  { exposedAs, roles }: TrackedFunction,
): boolean {
  const isInferred = exposedAs === 'query' && model.settings.inferFunctionPermissions
  return role === ADMIN || isInferred || roles.has(role)
}

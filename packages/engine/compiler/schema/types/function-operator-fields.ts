import type { PgType } from '../../../postgres/catalog.ts'
import {
  functionOperators,
  memberType,
  type Operand,
  type OperandObject,
  operatorDescription,
  rightOperand,
} from '../../../postgres/postgis-operators.ts'
import {
  fieldsByName,
  type InputField,
  type InputType,
  inputField,
  requiredType,
  type TypeRef,
} from '../graphql-types.ts'
import { type SchemaContext, valueType } from '../schema-context.ts'

/** Returns the fields of a comparison type for operators that are PostGIS functions, for example `_st_contains`. */
export function functionOperatorFields(
  ctx: SchemaContext,
  of: TypeRef,
  type: PgType,
): InputField[] {
  return functionOperators(type).flatMap((operator) => {
    const right = rightOperand(operator, type)
    if (right === null) return []
    const operand = right === 'columnType' ? of : operandObject(ctx, right, type)
    const description = operatorDescription(operator, type)
    const meaning = { kind: 'functionOperator', operator } as const
    return [inputField(ctx.naming.field(operator), operand, meaning, { description })]
  })
}

/** Builds the input object of an operand. Its names do not follow the naming convention, as in Hasura. */
function operandObject(
  ctx: SchemaContext,
  { typeName, operands }: OperandObject,
  type: PgType,
): InputType {
  return ctx.input(typeName, null, () =>
    fieldsByName(operands.map((operand) => operandField(ctx, operand, type))),
  )
}

function operandField(ctx: SchemaContext, operand: Operand, type: PgType): InputField {
  const { name, defaultText } = operand
  const value = valueType(ctx, { type: memberType(operand, type), enumType: null })
  return inputField(
    name,
    defaultText === undefined ? requiredType(value) : value,
    { kind: 'plain' },
    { defaultText: defaultText ?? null },
  )
}

import type { PgType } from '../postgres/catalog.ts'
import { arrayType, builtInType, comparisonType, type Family } from '../postgres/scalars.ts'
import { type Sql, sql } from '../postgres/sql.ts'

/**
 * The kind of an operator's right operand: a value of the column's type or a list of these values, a text or a list of
 * texts, a pattern for label paths (`lquery`) or a list of patterns, a full-text pattern for label paths (`ltxtquery`),
 * or a JSON path.
 */
export type OperandKind =
  | 'value'
  | 'list'
  | 'text'
  | 'texts'
  | 'lquery'
  | 'lqueries'
  | 'ltxtquery'
  | 'jsonpath'

/** Returns the type of the right operand for a type of the left operand. */
export function operandType(operandKind: OperandKind, left: PgType): PgType {
  const type = comparisonType(left)
  switch (operandKind) {
    case 'value':
      return type
    case 'list':
      // If the column is an array, the list has the column's type, as in Hasura. PostgreSQL then compares the array
      // with the list's elements, and rejects the statement.
      return type.element === null ? arrayType(type) : type
    case 'text':
      return builtInType('text')
    case 'texts':
      return builtInType('_text')
    case 'lqueries':
      return arrayType({ ...type, name: 'lquery' })
    default:
      // `lquery` and `ltxtquery` are in the schema of `ltree`, and `jsonpath` is in the schema of `jsonb`.
      return { ...type, name: operandKind }
  }
}

/** Reports whether the right operand is a list. */
export function isListOperand(operandKind: OperandKind): boolean {
  return operandKind === 'list' || operandKind === 'texts' || operandKind === 'lqueries'
}

type Operator = {
  operandKind: OperandKind
  /** The families that have the operator; all families if undefined. */
  families?: readonly Family[]
  /** Columns of this family have the operator only in permissions, not in the schema. */
  notOf?: Family
  /** True if enum columns have the operator in the schema. */
  enums?: boolean
  print(left: Sql, right: Sql): Sql
}

const TEXT = ['text'] as const
const JSONB = ['jsonb'] as const
const LTREE = ['ltree'] as const

/**
 * The operators of `where` and of permissions (`_eq`, `_gt`…). Excludes `_is_null`, `_cast`, PostGIS's functions and
 * COLUMN_OPERATORS. Each operator has its operand, the families of the columns that have it, and its SQL. Hasura reads
 * operators in this order.
 */
export const OPERATORS = {
  _eq: { operandKind: 'value', enums: true, print: (l, r) => sql`${l} = ${r}` },
  _neq: { operandKind: 'value', enums: true, print: (l, r) => sql`${l} <> ${r}` },
  _in: { operandKind: 'list', enums: true, print: (l, r) => sql`${l} = any(${r})` },
  // Does not use `<>`, because PostGIS's types do not have it.
  _nin: { operandKind: 'list', enums: true, print: (l, r) => sql`not (${l} = any(${r}))` },
  _gt: { operandKind: 'value', notOf: 'raster', print: (l, r) => sql`${l} > ${r}` },
  _lt: { operandKind: 'value', notOf: 'raster', print: (l, r) => sql`${l} < ${r}` },
  _gte: { operandKind: 'value', notOf: 'raster', print: (l, r) => sql`${l} >= ${r}` },
  _lte: { operandKind: 'value', notOf: 'raster', print: (l, r) => sql`${l} <= ${r}` },
  _like: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} like ${r}` },
  _nlike: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} not like ${r}` },
  _ilike: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} ilike ${r}` },
  _nilike: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} not ilike ${r}` },
  _similar: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} similar to ${r}` },
  _nsimilar: {
    operandKind: 'value',
    families: TEXT,
    print: (l, r) => sql`${l} not similar to ${r}`,
  },
  _regex: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} ~ ${r}` },
  _iregex: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} ~* ${r}` },
  _nregex: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} !~ ${r}` },
  _niregex: { operandKind: 'value', families: TEXT, print: (l, r) => sql`${l} !~* ${r}` },
  _contains: {
    operandKind: 'value',
    families: ['jsonb', 'array'],
    print: (l, r) => sql`${l} @> ${r}`,
  },
  _contained_in: {
    operandKind: 'value',
    families: ['jsonb', 'array'],
    print: (l, r) => sql`${l} <@ ${r}`,
  },
  _has_key: { operandKind: 'text', families: JSONB, print: (l, r) => sql`${l} ? ${r}` },
  _has_keys_any: { operandKind: 'texts', families: JSONB, print: (l, r) => sql`${l} ?| ${r}` },
  _has_keys_all: { operandKind: 'texts', families: JSONB, print: (l, r) => sql`${l} ?& ${r}` },
  _jsonb_path_exists: {
    operandKind: 'jsonpath',
    families: JSONB,
    print: (l, r) => sql`${l} @? ${r}`,
  },
  _jsonb_path_match: {
    operandKind: 'jsonpath',
    families: JSONB,
    print: (l, r) => sql`${l} @@ ${r}`,
  },
  _ancestor: { operandKind: 'value', families: LTREE, print: (l, r) => sql`${l} @> ${r}` },
  _ancestor_any: { operandKind: 'list', families: LTREE, print: (l, r) => sql`${l} @> ${r}` },
  _descendant: { operandKind: 'value', families: LTREE, print: (l, r) => sql`${l} <@ ${r}` },
  _descendant_any: { operandKind: 'list', families: LTREE, print: (l, r) => sql`${l} <@ ${r}` },
  _matches: { operandKind: 'lquery', families: LTREE, print: (l, r) => sql`${l} ~ ${r}` },
  _matches_any: { operandKind: 'lqueries', families: LTREE, print: (l, r) => sql`${l} ? ${r}` },
  _matches_fulltext: {
    operandKind: 'ltxtquery',
    families: LTREE,
    print: (l, r) => sql`${l} @ ${r}`,
  },
} as const satisfies Readonly<Record<string, Operator>>

export type OperatorName = keyof typeof OPERATORS

/**
 * Operators that compare two columns, each with the operator that makes the same comparison with a value. Only
 * permissions may use them.
 */
export const COLUMN_OPERATORS: Readonly<Record<string, OperatorName>> = {
  _ceq: '_eq',
  _cne: '_neq',
  _cneq: '_neq',
  _cgt: '_gt',
  _clt: '_lt',
  _cgte: '_gte',
  _clte: '_lte',
}

/** Reports whether OPERATORS has an operator of this name. */
export function isOperator(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name)
}

/** Returns the families of the columns that have an operator; undefined if all columns have it. */
export function familiesOf(name: OperatorName): readonly Family[] | undefined {
  const operator: Operator = OPERATORS[name]
  return operator.families
}

/** Returns the operators that columns of a family have in the schema. Enum columns have only a few. */
export function operatorsOfFamily(family: Family, isEnum: boolean): readonly OperatorName[] {
  return Object.keys(OPERATORS)
    .filter(isOperator)
    .filter((name) => {
      const operator: Operator = OPERATORS[name]
      if (isEnum) return operator.enums ?? false
      return operator.notOf !== family && (operator.families?.includes(family) ?? true)
    })
}

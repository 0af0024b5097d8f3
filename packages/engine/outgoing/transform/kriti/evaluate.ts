import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { integerText } from '../../../json/decimal.ts'
import { isList, isRecord, memberAt } from '../../../json/record.ts'
import { BudgetExceeded, COST, memberCount, spend } from './budget.ts'
import { type Evaluation, failure, wrongType } from './evaluation.ts'
import { FUNCTIONS, FunctionFailure } from './functions.ts'
import { applyOperator } from './operators.ts'
import type { Expression } from './syntax.ts'
import { valueText } from './values.ts'

type Kind<K extends Expression['kind']> = Extract<Expression, { kind: K }>

/**
 * Evaluates an expression.
 *
 * @throws TemplateError, BudgetExceeded
 * @see https://github.com/hasura/kriti-lang src/Kriti/Eval.hs
 */
export function evaluate(expression: Expression, evaluation: Evaluation): unknown {
  const { scope, budget } = evaluation
  const inner = (part: Expression) => evaluate(part, evaluation)
  spend(budget, COST.expression)
  switch (expression.kind) {
    case 'constant':
      return expression.value
    case 'text':
      return joinPieces(expression, evaluation)
    case 'list':
      return expression.items.map(inner)
    case 'object':
      return Object.fromEntries(
        Array.from(expression.fields, ([key, value]) => [key, inner(value)]),
      )
    case 'name':
      if (Object.hasOwn(scope, expression.name)) return scope[expression.name] ?? null
      throw failure(evaluation, expression, {
        code: 'Name Error',
        reason: `Variable '${expression.name}' not in scope`,
      })
    case 'member':
      return readMember(expression, evaluation)
    case 'optional':
      return readOptional(expression, evaluation)
    case 'operation': {
      const left = inner(expression.left)
      if (expression.operator === '??') return left ?? inner(expression.right)
      return applyOperator(expression, [left, inner(expression.right)], evaluation)
    }
    case 'call':
      return callFunction(expression, evaluation)
    case 'if': {
      const branch = expression.branches.find(({ condition }) => {
        const value = inner(condition)
        if (typeof value !== 'boolean') throw wrongType(evaluation, condition, value, 'Boolean')
        return value
      })
      return inner(branch?.body ?? expression.otherwise)
    }
    case 'range':
      return evaluateRange(expression, evaluation)
  }
}

function joinPieces({ pieces }: Kind<'text'>, evaluation: Evaluation): string {
  let joinedText = ''
  for (const piece of pieces) {
    const text = valueText(evaluate(piece, evaluation), evaluation.budget)
    spend(evaluation.budget, COST.characterMade * text.length)
    joinedText += text
  }
  return joinedText
}

function evaluateRange({ index, item, list, body }: Kind<'range'>, evaluation: Evaluation) {
  const items = evaluate(list, evaluation)
  if (!isList(items)) throw wrongType(evaluation, list, items, 'Array')
  return items.map((value, key) => {
    const names = index === null ? { [item]: value } : { [item]: value, [index]: key }
    return evaluate(body, { ...evaluation, scope: { ...evaluation.scope, ...names } })
  })
}

function readMember(expression: Kind<'member'>, evaluation: Evaluation): unknown {
  const target = evaluate(expression.target, evaluation)
  if (!isRecord(target) && !isList(target))
    throw wrongType(evaluation, expression.target, target, 'Object')
  const keyValue = evaluate(expression.key, evaluation)
  const key = memberKey(keyValue)
  if (isList(target) ? typeof key !== 'number' : typeof key !== 'string')
    throw wrongType(evaluation, expression.key, keyValue, isList(target) ? 'Integer' : 'String')
  const member = key === null ? undefined : memberAt(target, key)
  if (member !== undefined) return member
  if (isList(target))
    throw failure(evaluation, expression, { code: 'Index Error', reason: 'Index out of range' })
  throw failure(evaluation, expression, {
    code: 'Attribute Error',
    reason: `'Object' has no attribute '${key}'`,
    quotesValue: expression.key.kind !== 'constant',
  })
}

/** Returns null if the target is null or cannot be evaluated, or if a member is missing, even if further keys follow. */
function readOptional(expression: Kind<'optional'>, evaluation: Evaluation): unknown {
  const target = evaluateOrNull(expression.target, evaluation)
  if (target === null) return null
  if (!isRecord(target) && !isList(target))
    throw wrongType(evaluation, expression.target, target, 'Object')
  let member: unknown = target
  for (const step of expression.keys) {
    const key = memberKey(evaluate(step, evaluation))
    member = key === null ? undefined : memberAt(member, key)
  }
  return member ?? null
}

function evaluateOrNull(expression: Expression, evaluation: Evaluation): unknown {
  try {
    return evaluate(expression, evaluation)
  } catch (cause) {
    if (cause instanceof BudgetExceeded) throw cause
    return null
  }
}

/** Converts a value to the key of a member. `1.0` is a whole number, too. */
function memberKey(key: unknown): string | number | null {
  if (typeof key === 'string') return key
  const index = isNumeral(key) ? integerText(key, 64) : null
  return index === null ? null : Number(index)
}

function callFunction(call: Kind<'call'>, evaluation: Evaluation): unknown {
  const { name, argument } = call
  const { session, budget } = evaluation
  const value = evaluate(argument, evaluation)
  const apply = FUNCTIONS.get(name)
  if (!apply)
    throw failure(evaluation, call, {
      code: 'Name Error',
      reason: `Variable '${name}' not in scope`,
    })
  const parts = isList(value) ? value : [value]
  spend(
    budget,
    COST.characterMade * parts.reduce<number>((sum, part) => sum + memberCount(part), 1),
  )
  try {
    return apply(value, session)
  } catch (cause) {
    if (!(cause instanceof FunctionFailure)) throw cause
    throw failure(evaluation, argument, {
      code: 'Function Error',
      reason: cause.message,
      quotesValue: name === 'getSessionVariable',
    })
  }
}

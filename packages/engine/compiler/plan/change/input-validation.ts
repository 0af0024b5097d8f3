import type { InputValidation, Table } from '../../model/model.ts'
import type { Variables } from '../decision.ts'
import type { Input } from '../document/input.ts'
import { literalValue, variableValue } from '../document/literal.ts'
import type { Selected } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { GivenRow } from './inserted-row.ts'

/** Notes the webhooks of the tables into which is inserted: the field's own, then those of the rows nested in it. */
export function validateInsert(planner: Planner, table: Table, rows: readonly GivenRow[]): void {
  const inputs = new Map<Table, Input[]>()
  collectRows(table, rows, inputs)
  for (const [target, given] of inputs) {
    const webhook = planner.schema.access(target).insert?.validation
    const read = (variables: Variables) => given.map((input) => givenValue(input, variables))
    if (webhook) planner.notes.addValidation({ webhook, read })
  }
}

function collectRows(table: Table, rows: readonly GivenRow[], inputs: Map<Table, Input[]>): void {
  const known = inputs.get(table) ?? []
  inputs.set(table, [...known, ...rows.map(({ input }) => input)])
  for (const { related } of rows)
    for (const { relationship, rows: nested } of related)
      collectRows(relationship.remote, nested, inputs)
}

/** Notes the webhook of an update or a deletion; `told` makes the input of the field's arguments. */
export function validateArguments(
  planner: Planner,
  { node }: Selected,
  webhook: InputValidation | null | undefined,
  told: (args: Readonly<Record<string, unknown>>) => unknown,
): void {
  if (!webhook) return
  const given = node.arguments ?? []
  const read = (variables: Variables) =>
    told(
      Object.fromEntries(
        given.map(({ name, value }) => [name.value, literalValue(value, variables)]),
      ),
    )
  planner.notes.addValidation({ webhook, read })
}

function givenValue(input: Input, variables: Variables): unknown {
  if (input.kind === 'absent') return null
  return input.kind === 'literal'
    ? literalValue(input.node, variables)
    : variableValue(input, variables)
}

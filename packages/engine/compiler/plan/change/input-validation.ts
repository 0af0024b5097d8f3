import type { InputValidation, Table } from '../../model/model.ts'
import type { Variables } from '../decision.ts'
import type { Input } from '../document/input.ts'
import { literalValue, variableValue } from '../document/literal.ts'
import type { SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { InputRow } from './inserted-row.ts'

/**
 * Records the webhooks that validate an insert: first the webhook of the field's table, then those of the tables of
 * nested rows.
 */
export function validateInsert(planner: Planner, table: Table, rows: readonly InputRow[]): void {
  const inputs = new Map<Table, Input[]>()
  collectRows(table, rows, inputs)
  for (const [target, tableInputs] of inputs) {
    const webhook = planner.schema.access(target).insert?.validation
    const readInput = (variables: Variables) =>
      tableInputs.map((input) => inputValue(input, variables))
    if (webhook) planner.notes.addValidation({ webhook, read: readInput })
  }
}

function collectRows(table: Table, rows: readonly InputRow[], inputs: Map<Table, Input[]>): void {
  const tableInputs = inputs.get(table) ?? []
  inputs.set(table, [...tableInputs, ...rows.map(({ input }) => input)])
  for (const { related } of rows)
    for (const { relationship, rows: nested } of related)
      collectRows(relationship.remote, nested, inputs)
}

/**
 * Records the webhook that validates an update or a deletion. `toInput` converts the field's arguments to the input
 * that the webhook gets.
 */
export function validateArguments(
  planner: Planner,
  { node }: SelectedField,
  webhook: InputValidation | null | undefined,
  toInput: (args: Readonly<Record<string, unknown>>) => unknown,
): void {
  if (!webhook) return
  const argumentNodes = node.arguments ?? []
  const readInput = (variables: Variables) =>
    toInput(
      Object.fromEntries(
        argumentNodes.map(({ name, value }) => [name.value, literalValue(value, variables)]),
      ),
    )
  planner.notes.addValidation({ webhook, read: readInput })
}

function inputValue(input: Input, variables: Variables): unknown {
  if (input.kind === 'absent') return null
  return input.kind === 'literal'
    ? literalValue(input.node, variables)
    : variableValue(input, variables)
}

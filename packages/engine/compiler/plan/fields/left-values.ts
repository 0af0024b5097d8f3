import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { Scalar, Shape } from '../../ir/ir.ts'
import type { Column, ComputedField, Table } from '../../model/model.ts'
import type { FieldMeaning } from '../../schema/field-meaning.ts'
import type { SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { PlanFields } from '../read/aggregate.ts'
import { planFunctionCall } from '../read/function-call.ts'
import { planRemoteField } from '../remote/remote-field.ts'
import { planRemoteJoin } from '../remote/remote-join.ts'

type RemoteRelationshipMeaning = Extract<FieldMeaning, { kind: 'remoteRelationship' }>

/**
 * Plans a remote relationship of a table's rows. The statement returns the values to join on as a list. After the
 * statement has run, the related data replaces the list. The role need not be able to read these columns, as in Hasura.
 */
export function planLeftValues(
  planner: Planner,
  selection: SelectedField,
  { table, meaning }: { table: Table; meaning: RemoteRelationshipMeaning },
  planFields: PlanFields,
): Shape {
  const planners = { ofRows: planFields, ofRemote: planRemoteField }
  const join = planRemoteJoin(planner, selection, meaning, planners)
  const relationship = requireValue(
    table.remoteRelationships.get(meaning.relationship.name),
    'the remote relationship',
  )
  const args = join.leftFields.map((name) => ({
    name: null,
    value: leftScalar(planner, requireValue(relationship.leftFields.get(name), name)),
  }))
  const call = { schema: 'pg_catalog', name: 'json_build_array', args }
  const number = planner.notes.addJoin(join)
  return { kind: 'scalar', value: { kind: 'call', call }, text: false, join: number }
}

function leftScalar(planner: Planner, of: Column | ComputedField): Scalar {
  if ('returns' in of) return { kind: 'call', call: planFunctionCall(planner, of, null) }
  return { kind: 'column', name: of.name, of: 'row' }
}

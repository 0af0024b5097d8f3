import type { RemoteSchema } from '../../model/model.ts'
import { leftFieldsOf } from '../../model/remote/left-fields.ts'
import type { RemoteInput } from '../../model/remote-types.ts'
import type { FieldMeaning } from '../../schema/field-meaning.ts'
import type { SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { PlanFields } from '../read/aggregate.ts'
import { planJoinedRows } from '../read/joined-rows.ts'
import type { RemoteJoin, SentField } from '../sent-field.ts'

/** A field of a remote schema that is to be planned. */
export type RemoteTarget = {
  schema: RemoteSchema
  /** The original name of the field. */
  name: string
  presets: readonly RemoteInput[]
}

/**
 * The functions that plan the fields of rows and of remote objects. The fields may be relationships, so each function
 * may have to call the other.
 */
export type FieldPlanners = {
  ofRows: PlanFields
  ofRemote(
    planner: Planner,
    selection: SelectedField,
    target: RemoteTarget,
    ofRows: PlanFields,
  ): SentField
}

type RemoteRelationshipMeaning = Extract<FieldMeaning, { kind: 'remoteRelationship' }>

export function planRemoteJoin(
  planner: Planner,
  selection: SelectedField,
  { relationship, field }: RemoteRelationshipMeaning,
  { ofRows, ofRemote }: FieldPlanners,
): RemoteJoin {
  const leftFields = leftFieldsOf(relationship)
  const { name, target } = relationship
  if (target.kind === 'table') {
    const rows = { name, kind: target.cardinality, remote: target.table, mapping: target.mapping }
    return {
      kind: 'rows',
      leftFields,
      rows,
      shape: planJoinedRows(planner, selection, rows, ofRows),
    }
  }
  const { schema, steps } = target
  const remoteField = { schema, name: field?.name ?? name, presets: field?.presets ?? [] }
  return {
    kind: 'field',
    leftFields,
    schema,
    steps,
    field: ofRemote(planner, selection, remoteField, ofRows),
  }
}

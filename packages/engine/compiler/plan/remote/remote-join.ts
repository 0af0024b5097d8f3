import type { RemoteSchema } from '../../model/model.ts'
import { leftFieldsOf } from '../../model/remote/left-fields.ts'
import type { RemoteInput } from '../../model/remote-types.ts'
import type { FieldMeaning } from '../../schema/field-meaning.ts'
import type { Selected } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { PlanFields } from '../read/aggregate.ts'
import { planJoinedRows } from '../read/joined-rows.ts'
import type { RemoteJoin, SentField } from '../sent-field.ts'

/** A field of a remote schema that is to be planned. */
export type AskedField = {
  schema: RemoteSchema
  /** Its own name there. */
  name: string
  presets: readonly RemoteInput[]
}

/** How fields on either side of a relationship are planned, which may have relationships themselves. */
export type FieldPlanners = {
  ofRows: PlanFields
  ofRemote(planner: Planner, one: Selected, asked: AskedField, ofRows: PlanFields): SentField
}

type Joining = Extract<FieldMeaning, { kind: 'remoteRelationship' }>

/** Plans a remote relationship. */
export function planRemoteJoin(
  planner: Planner,
  one: Selected,
  { relationship, field }: Joining,
  { ofRows, ofRemote }: FieldPlanners,
): RemoteJoin {
  const left = leftFieldsOf(relationship)
  const { name, to } = relationship
  if (to.kind === 'table') {
    const rows = { name, kind: to.cardinality, remote: to.table, mapping: to.mapping }
    return { kind: 'rows', left, rows, shape: planJoinedRows(planner, one, rows, ofRows) }
  }
  const { schema, steps } = to
  const asked = { schema, name: field?.name ?? name, presets: field?.presets ?? [] }
  return { kind: 'field', left, schema, steps, field: ofRemote(planner, one, asked, ofRows) }
}

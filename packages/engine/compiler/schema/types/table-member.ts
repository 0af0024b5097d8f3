import type { Column, ComputedField, Relationship } from '../../model/model.ts'

/** A column, relationship or computed field of a table. */
export type TableMember = Column | Relationship | ComputedField

/** Returns the name by which Hasura sorts members; for a column, its name in the database. */
export function memberName(member: TableMember): string {
  return 'returns' in member ? member.field : member.name
}

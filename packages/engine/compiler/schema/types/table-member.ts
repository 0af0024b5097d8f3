import type { Column, ComputedField, Relationship } from '../../model/model.ts'

/** What a table has under a name. */
export type TableMember = Column | Relationship | ComputedField

/** The name under which Hasura keeps it, which for a column is that of the database. */
export function memberName(member: TableMember): string {
  return 'returns' in member ? member.field : member.name
}

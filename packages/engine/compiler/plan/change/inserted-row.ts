import type { Conflict, Scalar } from '../../ir/ir.ts'
import type { Relationship } from '../../model/model.ts'
import { type Input, isPresent, objectMember, readItems, readMembers } from '../document/input.ts'
import { storedScalar } from '../document/parameter.ts'
import type { Planner } from '../planner.ts'
import { planConflict } from './on-conflict.ts'

/** A row of the input: its cells by column, and nested rows of related tables. `path` is the path for its errors. */
export type InputRow = {
  path: string
  input: Input
  cells: ReadonlyMap<string, Scalar>
  related: readonly {
    path: string
    relationship: Relationship
    rows: readonly InputRow[]
    conflict: Conflict | null
  }[]
}

/** Reads a row of an insert with its nested rows. @throws validation-failed */
export function readRow(planner: Planner, input: Input, path: string): InputRow {
  const cells = new Map<string, Scalar>()
  const related: InputRow['related'][number][] = []
  readMembers(planner, input, ({ field: { meaning, name }, value }) => {
    if (meaning.kind === 'column')
      cells.set(meaning.column.name, storedScalar(planner, value, meaning.column))
    else if (meaning.kind === 'relationship' && isPresent(planner, value))
      related.push(readRelatedRows(planner, value, meaning.relationship, `${path}.${name}`))
  })
  return { path, input, cells, related }
}

function readRelatedRows(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  path: string,
): InputRow['related'][number] {
  const member = objectMember(planner, input)
  const { remote } = relationship
  const conflict = planConflict(planner, member(remote.source.naming.field('on_conflict')), remote)
  const data = member('data')
  const isFirst = isInsertedFirst(relationship)
  return {
    path,
    relationship,
    rows:
      relationship.kind === 'object'
        ? [readRow(planner, data, isFirst ? `${path}.data` : `${path}.data[0]`)]
        : readItems(planner, data, (item, i) => readRow(planner, item, `${path}.data[${i}]`)),
    conflict,
  }
}

/** Reports whether the related row is inserted before its parent row, because the parent row refers to it. */
export function isInsertedFirst({ kind, isInsertedAfterParent }: Relationship): boolean {
  return kind === 'object' && !isInsertedAfterParent
}

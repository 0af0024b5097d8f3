import type { Scalar } from '../../ir/ir.ts'
import type { Relationship } from '../../model/model.ts'
import { type Input, isGiven, listItems, objectMembers } from '../document/input.ts'
import { storedScalar } from '../document/parameter.ts'
import { type Planner, validationError } from '../planner.ts'

/** A row of the input: its cells by column, and nested rows of related tables; `path` is for its errors. */
export type GivenRow = {
  path: string
  cells: ReadonlyMap<string, Scalar>
  related: readonly {
    path: string
    relationship: Relationship
    rows: readonly GivenRow[]
    conflict: Input | null
  }[]
}

/** Reads a row of an insert, and those nested in it. @throws validation-failed */
export function readRow(planner: Planner, input: Input, path: string): GivenRow {
  const given = objectMembers(planner, input)
  const cells = given.flatMap(({ field: { meaning }, value }) =>
    meaning.kind === 'column'
      ? [[meaning.column.name, storedScalar(planner, value, meaning.column)] as const]
      : [],
  )
  const related = given.flatMap(({ field, value }) => {
    const { meaning } = field
    if (meaning.kind !== 'relationship' || !isGiven(planner, value)) return []
    return [readRelatedRows(planner, value, meaning.relationship, `${path}.${field.name}`)]
  })
  return { path, cells: new Map(cells), related }
}

function readRelatedRows(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  path: string,
): GivenRow['related'][number] {
  const given = new Map(
    objectMembers(planner, input).map(({ field, value }) => [field.name, value]),
  )
  const data = given.get('data')
  if (!data) throw validationError(input.path, "missing required field 'data'")
  const inputs = relationship.kind === 'object' ? [data] : listItems(planner, data)
  const isFirst = isInsertedFirst(relationship)
  return {
    path,
    relationship,
    rows: inputs.map((item, i) =>
      readRow(planner, item, isFirst ? `${path}.data` : `${path}.data[${i}]`),
    ),
    conflict: given.get('on_conflict') ?? null,
  }
}

/** Whether the related row is inserted before the row that refers to it. */
export function isInsertedFirst({ kind, isInsertedAfterParent }: Relationship): boolean {
  return kind === 'object' && !isInsertedAfterParent
}

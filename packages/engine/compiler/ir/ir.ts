import type { PgType } from '../../postgres/catalog.ts'
import type { Session } from '../../session/session.ts'
import type { OperatorName } from '../operators.ts'

/** What the parameters of a plan are read from, for one run. */
export type Bindings = {
  variables: Readonly<Record<string, unknown>>
  session: Session
}

/** A parameter of a statement (`$n`): its value is read for each run, as PostgreSQL writes its type as text. */
export type Parameter = {
  type: PgType
  /** Whether it is a session variable. */
  ofSession?: true
  read(bindings: Bindings): string | null
}

export type Name = { schema: string; name: string }

/** An expression with one value per row. Inside an `exists`, `root` is the row whose permission is checked. */
export type Scalar =
  | { kind: 'column'; name: string; of: 'row' | 'root' }
  | { kind: 'parameter'; parameter: Parameter }
  /** A number that the document itself contains. It is written into the SQL, so that PostgreSQL can plan for it. */
  | { kind: 'whole'; value: bigint }
  | { kind: 'list'; items: readonly Scalar[]; type: PgType }
  | { kind: 'call'; call: Call }
  | { kind: 'cast'; of: Scalar; type: PgType }
  /** A text in capital letters. */
  | { kind: 'upper'; of: Scalar }
  /** Several values as one. */
  | { kind: 'row'; of: readonly Scalar[] }
  /** Null where the predicate does not hold. */
  | { kind: 'masked'; of: Scalar; where: Predicate }
  /** An expression of `distinctOn`, by its index. */
  | { kind: 'distinct'; place: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Scalar; right: Scalar }
  | { kind: 'path'; of: Scalar; path: readonly string[] }
  | { kind: 'related'; rows: Rows; join: Join; value: Scalar }
  | { kind: 'aggregate'; rows: Rows; join: Join; call: AggregateCall }
  /** The base64 text of a JSON value, as opaque ids have it. */
  | { kind: 'base64'; of: Json }
  /** A column of a row that an earlier statement of the transaction has kept under the name `keep`. */
  | { kind: 'kept'; keep: string; table: Name; column: string }

/** A JSON value that is made of expressions. */
export type Json =
  | { kind: 'value'; of: Scalar }
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly Json[] }
  | { kind: 'object'; members: readonly JsonMember[] }

export type JsonMember = { key: string; value: Json }

export type BinaryOperator = '+' | '||' | '-' | '#-'

/** An aggregate function over rows; without arguments (null) it is `count(*)`. */
export type AggregateCall = {
  function: string
  arguments: readonly Scalar[] | null
  distinct: boolean
  filter: Predicate | null
}

/** A function call; an argument without a name is given by position. */
export type Call = Name & { args: readonly Argument[] }
export type Argument = { name: string | null; value: Scalar | 'row' }

export type Predicate =
  | { kind: 'and'; all: readonly Predicate[] }
  | { kind: 'or'; any: readonly Predicate[] }
  | { kind: 'not'; of: Predicate }
  /** Holds where the other one is false or null. */
  | { kind: 'unless'; of: Predicate }
  | { kind: 'compare'; operator: OperatorName; left: Scalar; right: Scalar }
  /** A function answers whether it holds. */
  | { kind: 'holds'; call: Call }
  | { kind: 'null'; of: Scalar; isNull: boolean }
  | { kind: 'exists'; from: Source; join: Join; where: Predicate }
  /** A permission's predicate: inside it, `root` is the row of this place. */
  | { kind: 'rooted'; of: Predicate }

/** Equal columns of the outer and the inner row. */
export type Join = readonly { outer: string; inner: string }[]

export type Source =
  | { kind: 'table'; table: Name }
  | { kind: 'function'; call: Call }
  /** Rows of a table that earlier statements of the transaction have kept under these names. */
  | { kind: 'kept'; keeps: readonly string[]; table: Name }
  /** Rows that the statement itself changed. */
  | { kind: 'changed' }
  /** A native query: its text, in pieces between the parameters. */
  | { kind: 'native'; pieces: readonly (string | Parameter)[] }
  /** The objects that are inside of a column of the outer row: one, or a list. */
  | {
      kind: 'inside'
      column: string
      columns: readonly { name: string; type: PgType }[]
      isList: boolean
    }

export type Order = { by: Scalar; direction: 'asc' | 'desc'; nulls: 'first' | 'last' }

/** Which rows, in which order, how many. */
export type Rows = {
  from: Source
  where: Predicate
  order: readonly Order[]
  /** Columns, masked or not; an order by a masked one refers to its index here. */
  distinctOn: readonly Scalar[]
  limit: Scalar | null
  /** `with ties`: rows that are equal to the last one in the order are included, beyond the limit. */
  ties?: true
  offset: Scalar | null
  /** The limit of the permission; the smaller of `limit` and this one counts. */
  cap: number | null
}

/** One key of an answer's object. */
export type Field = { as: string } & Shape

export type Shape =
  /** `join`: the plan's remote relationship of this number is at its place, and its value is what that joins on. */
  | { kind: 'scalar'; value: Scalar; text: boolean; join?: number }
  | { kind: 'typename'; name: string }
  /** `isLookUp`: no more than one row can match the join, and only columns of it are selected. */
  | { kind: 'one'; rows: Rows; join: Join; fields: readonly Field[]; isLookUp: boolean }
  | List
  | Aggregate
  | Connection

/** `joinsLookUps`: the fields that are lookups are joined to the rows, instead of being subqueries. */
export type List = {
  kind: 'many'
  rows: Rows
  join: Join
  fields: readonly Field[]
  joinsLookUps: boolean
}

export type Aggregate = {
  kind: 'aggregate'
  rows: Rows
  join: Join
  parts: readonly AggregatePart[]
  over: Aggregated
}

/** What an aggregate is computed over. */
export type Aggregated =
  /** The rows as they are read. */
  | { kind: 'rows' }
  /** A subquery that has only the fields of `nodes`. */
  | { kind: 'nodes'; fields: readonly Field[] }
  /** A subquery of whole rows, because some are left out or they are sorted. */
  | { kind: 'subquery' }
  /** The same with numbered rows: the number limits `nodes` to the permission's limit, and may sort them. */
  | { kind: 'numbered'; sortsNodes: boolean }

export type AggregatePart = { as: string } & (
  | { kind: 'nodes'; fields: readonly Field[] }
  | { kind: 'numbers'; numbers: readonly NumberPart[] }
  | { kind: 'typename'; name: string }
)

export type NumberPart = { as: string } & (
  | { kind: 'aggregate'; call: AggregateCall; text: boolean }
  | { kind: 'group'; numbers: readonly NumberPart[] }
  | { kind: 'typename'; name: string }
)

/** A page of rows, with what tells where it is among all of them. */
export type Connection = {
  kind: 'connection'
  /** All rows, in their order. */
  rows: Rows
  join: Join
  /** What names a row's place among them. */
  cursor: Json
  /** The rows on the asked side of the client's cursor, and those on the other; null without a cursor. */
  split: { side: 'after' | 'before'; where: Predicate; others: Predicate } | null
  /** How many of these rows, from their start or their end; null for all. */
  slice: { of: 'start' | 'end'; count: Scalar } | null
  read: PageReading
  parts: readonly ConnectionPart[]
}

/** How a page is found. */
export type PageReading =
  /** By the order: from one end, or from the cursor, in one direction, and no further than necessary. */
  | { kind: 'sought'; from: 'start' | 'end' }
  /** By numbering all rows. */
  | { kind: 'numbered' }

export type ConnectionPart = { as: string } & (
  | { kind: 'edges'; parts: readonly EdgePart[] }
  | { kind: 'pageInfo'; parts: readonly PagePart[] }
  | { kind: 'typename'; name: string }
)

export type EdgePart = { as: string } & (
  | { kind: 'cursor' }
  | { kind: 'node'; fields: readonly Field[] }
  | { kind: 'typename'; name: string }
)

export type PagePart = { as: string } & (
  | { kind: 'fact'; fact: PageFact }
  | { kind: 'typename'; name: string }
)

export type PageFact = 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'

/** The answer of a mutation's root field: `{affected_rows, returning}`, or the one row. */
export type Output =
  | { kind: 'response'; parts: readonly ResponsePart[] }
  | { kind: 'row'; fields: readonly Field[] }

export type ResponsePart = { as: string } & (
  | { kind: 'affected' }
  | { kind: 'returning'; fields: readonly Field[] }
  | { kind: 'typename'; name: string }
)

export type Assignment = { column: string; value: Scalar }

export type Conflict = {
  constraint: string
  /** The permission's presets. */
  set: readonly Assignment[]
  /** The columns that take the new row's values; when empty, the row that is there stays as it is. */
  columns: readonly string[]
  where: Predicate
  /** What updated rows must satisfy; null means the insert's check. */
  check: Predicate | null
}

/** A statement that changes rows; `keep` is the name under which later statements find them. */
export type Change =
  | {
      kind: 'insert'
      table: Name
      columns: readonly string[]
      /** One cell per column; null is DEFAULT. */
      rows: readonly (readonly (Scalar | null)[])[]
      conflict: Conflict | null
      check: Predicate
    }
  | { kind: 'update'; table: Name; set: readonly Assignment[]; where: Predicate; check: Predicate }
  | { kind: 'delete'; table: Name; where: Predicate }

/** One root field that the database answers. */
export type Root =
  | { kind: 'select'; shape: Shape }
  /** One statement that changes rows and answers; `setsSession` means that it also sets the session. */
  | { kind: 'change'; change: Change; output: Output; setsSession: boolean }
  /** Statements that change rows and keep them, then one that answers from what they kept. */
  | { kind: 'steps'; steps: readonly Step[]; output: Output; from: Source }

/** One statement of a mutation: a change, or what makes the mutation fail when it gets there. */
export type Step = ChangeStep | { refusal: string; path: string }

/** A change; `keep` names its rows for those after it. */
export type ChangeStep = {
  change: Change
  keep: string
  /** The path for its errors; null for the root field's path. */
  path: string | null
  /** The error if it changes no row, and its path; null if it need not change one. */
  required: { message: string; path: string } | null
}

/** Always true: the empty conjunction. */
export const TRUE: Predicate = { kind: 'and', all: [] }

/** The part of `Rows` that is the same for all rows in any order. */
export const UNBOUNDED = {
  order: [],
  distinctOn: [],
  limit: null,
  offset: null,
  cap: null,
} as const satisfies Partial<Rows>

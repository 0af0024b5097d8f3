import type { PgType } from '../../postgres/catalog.ts'
import type { Session } from '../../session/session.ts'
import type { OperatorName } from '../operators.ts'

/** The variables and the session of a single run, from which the parameters of the plan are read. */
export type Bindings = {
  variables: Readonly<Record<string, unknown>>
  session: Session
}

/** A parameter of a statement (`$n`). Its value is read for each run, as text in PostgreSQL's notation. */
export type Parameter = {
  type: PgType
  /** True if the parameter is a session variable. */
  ofSession?: true
  read(bindings: Bindings): string | null
}

export type Name = { schema: string; name: string }

/** An expression with a value for each row. `root` is the row that the enclosing permission is checked for. */
export type Scalar =
  | { kind: 'column'; name: string; of: 'row' | 'root' }
  | { kind: 'parameter'; parameter: Parameter }
  /** A whole number that the text of the SQL contains, so that PostgreSQL knows the number when it plans. */
  | { kind: 'integer'; value: bigint }
  | { kind: 'list'; items: readonly Scalar[]; type: PgType }
  | { kind: 'call'; call: Call }
  | { kind: 'cast'; of: Scalar; type: PgType }
  /** A text in upper case. */
  | { kind: 'upper'; of: Scalar }
  /** A row of several values. */
  | { kind: 'row'; of: readonly Scalar[] }
  /** The value of an expression; null in rows where the predicate is not true. */
  | { kind: 'masked'; of: Scalar; where: Predicate }
  /** An expression of `distinctOn`, by its index. */
  | { kind: 'distinct'; place: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Scalar; right: Scalar }
  | { kind: 'path'; of: Scalar; path: readonly string[] }
  | { kind: 'relatedValue'; rows: Rows; join: Join; value: Scalar }
  | { kind: 'aggregate'; rows: Rows; join: Join; call: AggregateCall }
  /** The base64 text of a JSON value, for global IDs and cursors. */
  | { kind: 'base64'; of: Json }
  /** A column of a row that an earlier statement of the transaction saved under the name `savedAs`. */
  | { kind: 'savedColumn'; savedAs: string; table: Name; column: string }

/** A JSON value built from expressions. */
export type Json =
  | { kind: 'value'; of: Scalar }
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly Json[] }
  | { kind: 'object'; members: readonly JsonMember[] }

export type JsonMember = { key: string; value: Json }

export type BinaryOperator = '+' | '||' | '-' | '#-'

/** An aggregate function over rows; if `arguments` is null, it is `count(*)`. */
export type AggregateCall = {
  function: string
  arguments: readonly Scalar[] | null
  distinct: boolean
  filter: Predicate | null
}

/** A function call; an argument without a name is passed by position. */
export type Call = Name & { args: readonly Argument[] }
export type Argument = { name: string | null; value: Scalar | 'row' }

export type Predicate =
  | { kind: 'and'; operands: readonly Predicate[] }
  | { kind: 'or'; operands: readonly Predicate[] }
  | { kind: 'not'; of: Predicate }
  /** True if the inner predicate is false or null. */
  | { kind: 'isNotTrue'; of: Predicate }
  | { kind: 'compare'; operator: OperatorName; left: Scalar; right: Scalar }
  /** True if the function returns true. */
  | { kind: 'callIsTrue'; call: Call }
  | { kind: 'null'; of: Scalar; isNull: boolean }
  | { kind: 'exists'; from: Source; join: Join; where: Predicate }
  /** A permission's predicate; inside it, `root` is the current row. */
  | { kind: 'permission'; of: Predicate }

/** Pairs of columns with equal values, in the outer and in the inner row. */
export type Join = readonly { outer: string; inner: string }[]

export type Source =
  | { kind: 'table'; table: Name }
  | { kind: 'function'; call: Call }
  /** Rows of a table that earlier statements of the transaction saved under these names. */
  | { kind: 'savedRows'; names: readonly string[]; table: Name }
  /** The rows that this statement changed. */
  | { kind: 'changedRows' }
  /** A native query: the pieces of its text with the parameters between them. */
  | { kind: 'nativeQuery'; pieces: readonly (string | Parameter)[] }
  /** The objects inside a column of the outer row: a single object, or a list. */
  | {
      kind: 'nestedObjects'
      column: string
      columns: readonly { name: string; type: PgType }[]
      isList: boolean
    }

export type Order = { by: Scalar; direction: 'asc' | 'desc'; nulls: 'first' | 'last' }

/** A selection of rows: the source, the filter, the order and the limits. */
export type Rows = {
  from: Source
  where: Predicate
  order: readonly Order[]
  /** The columns, some of them masked. An order by a masked column refers to the column by its index in this list. */
  distinctOn: readonly Scalar[]
  limit: Scalar | null
  /** `with ties`: rows that are equal to the last row in the order are included, beyond the limit. */
  ties?: true
  offset: Scalar | null
  /** The limit of the permission; the smaller of `limit` and `cap` applies. */
  cap: number | null
}

/** A key of an object in the response. */
export type Field = { as: string } & Shape

export type Shape =
  /**
   * If `join` is set, it is the number of a remote relationship in the plan. The remote relationship joins on the
   * value, and its result replaces the value.
   */
  | { kind: 'scalar'; value: Scalar; text: boolean; join?: number }
  | { kind: 'typename'; name: string }
  /** `isLookUp`: the join matches at most one row, and only columns of the row are selected. */
  | { kind: 'object'; rows: Rows; join: Join; fields: readonly Field[]; isLookUp: boolean }
  | List
  | Aggregate
  | Connection

/** `joinsLookUps`: the look-up fields are joined to the rows instead of being subqueries. */
export type List = {
  kind: 'list'
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
  input: AggregateInput
}

/** The input of an aggregate. */
export type AggregateInput =
  /** The rows of the source. */
  | { kind: 'rows' }
  /** A subquery with only the fields of `nodes`. */
  | { kind: 'nodes'; fields: readonly Field[] }
  /** A subquery of whole rows, because rows are left out or sorted. */
  | { kind: 'subquery' }
  /**
   * A subquery that numbers the rows. The numbers decide which rows `nodes` contains within the permission's limit.
   * With `sortsNodes`, they also sort the nodes.
   */
  | { kind: 'numberedRows'; sortsNodes: boolean }

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

/** A page of rows, and facts about the page, for example whether there is a next page. */
export type Connection = {
  kind: 'connection'
  /** All rows, in order. */
  rows: Rows
  join: Join
  /** The value that identifies the position of a row. */
  cursor: Json
  /**
   * The rows on the requested side of the client's cursor, and the rows on the other side; null if the client sends no
   * cursor.
   */
  split: { side: 'after' | 'before'; where: Predicate; opposite: Predicate } | null
  /** The number of rows from the start or the end; null for all. */
  slice: { of: 'start' | 'end'; count: Scalar } | null
  strategy: PageStrategy
  parts: readonly ConnectionPart[]
}

/** The way to find a page. */
export type PageStrategy =
  /** By reading in order from the start, the end or the cursor, no further than necessary. */
  | { kind: 'seek'; from: 'start' | 'end' }
  /** By numbering all rows. */
  | { kind: 'numberAll' }

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

/** The result of a mutation's root field: `{affected_rows, returning}`, or the row. */
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
  /** The presets of the update permission. */
  set: readonly Assignment[]
  /** The columns that take the new row's values; if empty, the existing row stays unchanged. */
  columns: readonly string[]
  where: Predicate
  /** The check for updated rows; null means the insert's check. */
  check: Predicate | null
}

export type Change =
  | {
      kind: 'insert'
      table: Name
      columns: readonly string[]
      /** A cell for each column; null is DEFAULT. */
      rows: readonly (readonly (Scalar | null)[])[]
      conflict: Conflict | null
      check: Predicate
    }
  | { kind: 'update'; table: Name; set: readonly Assignment[]; where: Predicate; check: Predicate }
  | { kind: 'delete'; table: Name; where: Predicate }

/** A root field that the database resolves. */
export type Root =
  | { kind: 'select'; shape: Shape }
  /**
   * A single statement that changes rows and returns the result. With `setsSession`, it also sets the session
   * variables.
   */
  | { kind: 'change'; change: Change; output: Output; setsSession: boolean }
  /** Statements that change and save rows, then a statement that builds the result from the saved rows. */
  | { kind: 'steps'; steps: readonly Step[]; output: Output; from: Source }

/** A statement of a mutation: a change, or an error that fails the mutation at this step. */
export type Step = ChangeStep | { refusal: string; path: string }

/** A change. Later statements find its rows under the name `savedAs`. */
export type ChangeStep = {
  change: Change
  savedAs: string
  /** The path for errors of the change; null for the root field's path. */
  path: string | null
  /** The error if the change changes no row, with the error's path; null if the change may change no row. */
  required: { message: string; path: string } | null
}

/** A predicate that is always true: the empty conjunction. */
export const TRUE: Predicate = { kind: 'and', operands: [] }

/** The part of `Rows` for all rows in any order. */
export const UNBOUNDED = {
  order: [],
  distinctOn: [],
  limit: null,
  offset: null,
  cap: null,
} as const satisfies Partial<Rows>

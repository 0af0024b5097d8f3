import type { PgType } from '../catalog.ts'
import type { Session } from '../session/session.ts'
import type { OperatorName } from '../sql/operators.ts'

/** What a plan is filled in with when it runs. */
export type Bindings = {
  variables: Readonly<Record<string, unknown>>
  session: Session
}

/** A hole in a statement: `$n`, read anew for each run, as the text form of its type. */
export type Parameter = {
  type: PgType
  read(bindings: Bindings): string | null
}

export type Name = { schema: string; name: string }

/** An expression with one value per row. `root` is the table that a permission guards, seen from inside an `exists`. */
export type Scalar =
  | { kind: 'column'; name: string; of: 'row' | 'root' }
  | { kind: 'parameter'; parameter: Parameter }
  /** A number of the document itself, which Postgres then plans for. */
  | { kind: 'whole'; value: bigint }
  | { kind: 'list'; items: readonly Scalar[]; type: PgType }
  | { kind: 'call'; call: Call }
  | { kind: 'cast'; of: Scalar; type: PgType }
  /** Null where the predicate does not hold. */
  | { kind: 'masked'; of: Scalar; where: Predicate }
  /** What the rows are distinct in, by its place in `distinctOn`. */
  | { kind: 'distinct'; place: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Scalar; right: Scalar }
  | { kind: 'path'; of: Scalar; path: readonly string[] }
  | { kind: 'related'; rows: Rows; join: Join; value: Scalar }
  | { kind: 'fold'; rows: Rows; join: Join; fold: Fold }
  /** A column of the row that an earlier statement of the transaction kept under this name. */
  | { kind: 'kept'; keep: string; table: Name; column: string }

export type BinaryOperator = '+' | '||' | '-' | '#-'

/** An aggregate function over rows; no columns is `count(*)`. */
export type Fold = {
  function: string
  arguments: readonly Scalar[]
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
  | { kind: 'compare'; operator: OperatorName; left: Scalar; right: Scalar }
  | { kind: 'null'; of: Scalar; is: boolean }
  | { kind: 'exists'; from: Source; join: Join; where: Predicate }
  /** A permission's predicate: `root` inside it is the row here. */
  | { kind: 'rooted'; of: Predicate }

/** Equal columns of the outer and the inner row. */
export type Join = readonly { outer: string; inner: string }[]

export type Source =
  | { kind: 'table'; table: Name }
  | { kind: 'function'; call: Call }
  /** Rows of a table that earlier statements of the transaction kept under these names. */
  | { kind: 'kept'; keeps: readonly string[]; table: Name }
  /** Rows that the statement itself changed. */
  | { kind: 'changed' }
  /** A native query: its text with holes. */
  | { kind: 'native'; pieces: readonly (string | Parameter)[] }

export type Order = { by: Scalar; direction: 'asc' | 'desc'; nulls: 'first' | 'last' }

/** Which rows, in which order, how many. */
export type Rows = {
  from: Source
  where: Predicate
  order: readonly Order[]
  /** Whether they come in no order or in the primary key's, so that a limit also ends the reading. */
  keyOrder?: boolean
  /** Columns, or what masks leave of them: an order by the latter names its place in here. */
  distinctOn: readonly Scalar[]
  limit: Scalar | null
  /** With the limit: rows equal to the last one, in the order, come too. */
  ties?: true
  offset: Scalar | null
  /** A second bound, that of a permission: the smaller of the two counts. */
  cap: number | null
}

/** One key of an answer's object. */
export type Field = { as: string } & Shape

export type Shape =
  | { kind: 'scalar'; value: Scalar; text: boolean }
  | { kind: 'typename'; name: string }
  /** `unique`: no more than one row can match the join. */
  | { kind: 'one'; rows: Rows; join: Join; fields: readonly Field[]; unique: boolean }
  | { kind: 'many'; rows: Rows; join: Join; fields: readonly Field[] }
  | { kind: 'aggregate'; rows: Rows; join: Join; parts: readonly AggregatePart[] }

export type AggregatePart = { as: string } & (
  | { kind: 'nodes'; fields: readonly Field[] }
  | { kind: 'numbers'; numbers: readonly NumberPart[] }
  | { kind: 'typename'; name: string }
)

export type NumberPart = { as: string } & (
  | { kind: 'fold'; fold: Fold; text: boolean }
  | { kind: 'group'; numbers: readonly NumberPart[] }
  | { kind: 'typename'; name: string }
)

/** What a mutation answers: `{affected_rows, returning}`, or the one row. */
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
  /** Empty: do nothing. */
  set: readonly Assignment[]
  columns: readonly string[]
  where: Predicate
  /** What updated rows must satisfy; null: the insert's check, as the inserted ones. */
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
  /** One statement that changes rows and answers; `tellsSession`: it says itself who asks. */
  | { kind: 'change'; change: Change; output: Output; tellsSession: boolean }
  /** Statements that change rows and keep them, then one that answers from what they kept. */
  | { kind: 'steps'; steps: readonly Step[]; output: Output; from: Source }

/** One statement of a mutation; `keep` names its rows for those after it. */
export type Step = {
  change: Change
  keep: string
  /** Where its faults are reported; null where those of the root field are. */
  path: string | null
  /** The failure when it changes no row, and where that is reported; null when it is fine. */
  required: { message: string; path: string } | null
}

/** Is always so: the empty conjunction. */
export const TRUE: Predicate = { kind: 'and', all: [] }

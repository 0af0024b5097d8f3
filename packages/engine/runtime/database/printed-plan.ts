import { createHash } from 'node:crypto'
import type { FieldNode } from 'graphql'
import type { Parameter, Root } from '../../compiler/ir/ir.ts'
import type { Decision } from '../../compiler/plan/decision.ts'
import type { Plan, PlanPart, RemoteCall } from '../../compiler/plan/plan.ts'
import type { ActionCall } from '../../compiler/plan/root/action.ts'
import { type JoinTree, joinsOfAction, joinsOfRoot } from '../../compiler/plan/root/join-tree.ts'
import type { RemoteJoin } from '../../compiler/plan/sent-field.ts'
import type { Steps } from '../../compiler/plan/steps.ts'
import { MAX_COLUMNS } from '../../compiler/sql/json-object.ts'
import { type LiveStatement, liveStatement } from '../../compiler/sql/live-statement.ts'
import {
  type KeyedShape,
  rootStatements,
  type Statement,
  selectStatement,
  sessionStatement,
} from '../../compiler/sql/statement.ts'
import { EngineError } from '../../errors.ts'
import type { PreparedStatement } from './execute.ts'

/** A plan with its SQL. To run the plan, the engine only has to read the values of the parameters. */
export type PrintedPlan = {
  kind: Plan['kind']
  decisions: readonly Decision[]
  /** The session variables that a mutation needs. They are read before anything runs, so a missing variable is always an error. */
  requiredSessionVariables: readonly Parameter[]
  validations: Plan['validations']
  /** One batch for each source that a query reads. A mutation has at most one batch. */
  batches: readonly Batch[]
  parts: readonly PrintedPart[]
  /** The remote relationships of the rows, by number. */
  joins: readonly RemoteJoin[]
  /** True if a remote server answers a part, or the results have remote relationships. */
  isRemote: boolean
  /** The statement that answers all subscribers at once; null unless this is a subscription to the database. */
  live: (LiveStatement & { source: string }) | null
}

/** Statements for one source. A query has one statement. A mutation has several in order, and the first may set the session. */
export type Batch = { source: string; statements: readonly PreparedStatement[] }

/**
 * A root field, and where its result comes from: columns of statements, an action, a remote server, the schema or a constant.
 * Statements are numbered across all batches.
 */
export type PrintedPart = {
  as: string
  /** The text before the result: the beginning of a namespace, if any, and `"alias":`. */
  key: string
  /** The text after the result: the end of a namespace, if any. */
  closes: string
} & (
  | { kind: 'column'; statement: number; column: number; joins: JoinTree | null }
  /** For each item, the number of its statement, or its JSON text. */
  | { kind: 'list'; items: readonly (number | string)[]; joins: JoinTree | null }
  | { kind: 'action'; call: ActionCall; joins: JoinTree | null }
  | { kind: 'remote'; call: RemoteCall }
  /** A field of a mutation in a separate transaction, because other fields use another source or a remote server. */
  | { kind: 'transaction'; plan: PrintedPlan }
  | { kind: 'introspection'; node: FieldNode }
  | { kind: 'constant'; text: string }
)

/** Prints a plan's statements as SQL, one root field in each step. */
export function* printPlan(plan: Plan): Steps<PrintedPlan> {
  const { kind, decisions, requiredSessionVariables, validations, joins } = plan
  const isRemote = joins.length > 0 || plan.parts.some(isRemotePart)
  if (kind === 'subscription')
    return {
      kind,
      decisions,
      requiredSessionVariables,
      validations,
      batches: [],
      parts: actionParts(plan.parts),
      joins,
      isRemote,
      live: printSubscription(plan),
    }
  return {
    kind,
    decisions,
    requiredSessionVariables,
    validations,
    joins,
    isRemote,
    ...(yield* printParts(plan)),
    live: null,
  }
}

function* printParts(plan: Plan): Steps<PrintedStatements> {
  if (plan.kind !== 'mutation') return yield* printQuery(plan.parts)
  const sources = new Set(plan.parts.flatMap((part) => ('source' in part ? part.source : [])))
  if (sources.size < 2 && !plan.parts.some(isRemotePart)) return yield* printMutation(plan.parts)
  const parts: PrintedPart[] = []
  for (const part of plan.parts) parts.push(yield* separatePart(plan, part))
  return { batches: [], parts }
}

/**
 * Prints a field of a mutation as a separate transaction. Like Hasura, runs the fields of a mutation separately if one of them is
 * remote, or if they change several sources.
 */
function* separatePart(plan: Plan, part: PlanPart): Steps<PrintedPart> {
  if (part.kind !== 'database' && part.kind !== 'databaseList') return partWithoutStatement(part)
  const { kind, decisions, joins } = plan
  const isRemote = joins.length > 0
  const separatePlan = {
    kind,
    decisions,
    requiredSessionVariables: [],
    validations: [],
    joins,
    isRemote,
    live: null,
  }
  return {
    ...answerKey(part),
    kind: 'transaction',
    plan: { ...separatePlan, ...(yield* printMutation([part])) },
  }
}

function isRemotePart({ kind }: PlanPart): boolean {
  return kind === 'remote'
}

/** Returns the remote relationships of a root field; null if it has none, so that its result need not be parsed. */
function joinsIn(roots: readonly (Root | string)[]): JoinTree | null {
  // All roots of a list have the same fields.
  const root = roots.find((one) => typeof one !== 'string')
  const tree = root && joinsOfRoot(root)
  return tree && tree.size > 0 ? tree : null
}

/** Returns the parts of a subscription that actions answer. */
function actionParts(parts: readonly PlanPart[]): PrintedPart[] {
  return parts.filter(({ kind }) => kind === 'action').map(partWithoutStatement)
}

function printSubscription({ parts: [part], givesArguments }: Plan): PrintedPlan['live'] {
  if (part?.kind === 'stream') {
    const { source, shape } = part.stream
    return {
      ...liveStatement(answerKey(part), shape, part.stream),
      givesArguments,
      source: source.name,
    }
  }
  if (part?.kind !== 'database' || part.root.kind !== 'select') return null
  const { source, root } = part
  return { ...liveStatement(answerKey(part), root.shape, null), givesArguments, source }
}

type PrintedStatements = { batches: readonly Batch[]; parts: PrintedPart[] }

/**
 * Prints one statement of a query for each source, with a column for each root field. If there are too many fields, adjacent fields
 * share a column.
 */
function* printQuery(parts: readonly PlanPart[]): Steps<PrintedStatements> {
  const share = parts.length > MAX_COLUMNS
  const columnsOf = new Map<string, KeyedShape[][]>()
  const printedParts: PrintedPart[] = []
  for (const part of parts) {
    if (part.kind !== 'database' || part.root.kind !== 'select') {
      printedParts.push(partWithoutStatement(part))
      continue
    }
    const { key, closes } = answerKey(part)
    const { shape } = part.root
    const joins = joinsIn([part.root])
    const columns = columnsOf.get(part.source) ?? []
    columnsOf.set(part.source, columns)
    const statement = [...columnsOf.keys()].indexOf(part.source)
    const before = printedParts.at(-1)
    if (share && !joins && isOpen(before, statement) && part.opens === '') {
      columns.at(-1)?.push({ key, shape })
      before.closes = closes
    } else {
      const column = columns.push([{ key, shape }]) - 1
      printedParts.push({ ...answerKey(part), kind: 'column', statement, column, joins })
    }
  }
  const batches: Batch[] = []
  for (const [source, columns] of columnsOf) {
    const statement = yield* selectStatement(columns)
    batches.push({ source, statements: [preparedStatement(statement, '$')] })
  }
  return { batches, parts: printedParts }
}

/** True if the next part of the same statement can share this part's column. */
function isOpen(part: PrintedPart | undefined, statement: number): part is PrintedPart {
  const isColumn = part?.kind === 'column' && part.statement === statement
  return isColumn && part.closes === '' && part.joins === null
}

/** Prints one or more statements for each root field of a mutation of one source, in order. */
function* printMutation(parts: readonly PlanPart[]): Steps<PrintedStatements> {
  const statements: PreparedStatement[] = parts.every(partSetsSession) ? [] : [SESSION]
  const add = (root: Root, path: string): number => {
    const steps = root.kind === 'steps' ? root.steps : []
    rootStatements(root).forEach((statement, i) => {
      const step = steps[i]
      const zeroRowsPath = step && 'required' in step ? step.required?.path : undefined
      statements.push({ ...preparedStatement(statement, step?.path ?? path), zeroRowsPath })
    })
    return statements.length - 1
  }
  const printedParts: PrintedPart[] = []
  for (const part of parts) {
    yield
    const key = answerKey(part)
    if (part.kind === 'database') {
      const statement = add(part.root, part.faultPath)
      printedParts.push({
        ...key,
        kind: 'column',
        statement,
        column: 0,
        joins: joinsIn([part.root]),
      })
    } else if (part.kind === 'databaseList') {
      const items: (string | number)[] = []
      for (const root of part.roots) {
        yield
        items.push(typeof root === 'string' ? root : add(root, part.faultPath))
      }
      printedParts.push({ ...key, kind: 'list', items, joins: joinsIn(part.roots) })
    } else printedParts.push(partWithoutStatement(part))
  }
  const source = parts.find((part) => 'source' in part)?.source
  return { batches: source === undefined ? [] : [{ source, statements }], parts: printedParts }
}

/** True if the part's statements set the session, so that no separate statement is needed. */
function partSetsSession(part: PlanPart): boolean {
  if (part.kind === 'databaseList') return part.roots.every(rootSetsSession)
  return part.kind !== 'database' || rootSetsSession(part.root)
}

function rootSetsSession(root: Root | string): boolean {
  return typeof root === 'string' || (root.kind === 'change' && root.setsSession)
}

/** PostgreSQL's protocol counts the parameters of a statement in 16 bits. */
const MAX_PARAMETERS = 65_535

const SESSION = preparedStatement(sessionStatement, '$')

function partWithoutStatement(part: PlanPart): PrintedPart {
  const key = answerKey(part)
  switch (part.kind) {
    case 'action': {
      const tree = joinsOfAction(part.call.fields)
      return { ...key, kind: part.kind, call: part.call, joins: tree.size > 0 ? tree : null }
    }
    case 'remote':
      return { ...key, kind: part.kind, call: part.call }
    case 'introspection':
      return { ...key, kind: part.kind, node: part.node }
    case 'constant':
      return { ...key, kind: part.kind, text: part.text }
    default:
      throw new TypeError(`a root field of kind ${part.kind} needs a statement`)
  }
}

function answerKey({ as, opens, closes }: PlanPart): Pick<PrintedPart, 'as' | 'key' | 'closes'> {
  return { as, key: `${opens}${JSON.stringify(as)}:`, closes }
}

/** Removes the names of the statements, for a plan that runs once and should prepare nothing. */
export function unpreparedPlan(plan: PrintedPlan): PrintedPlan {
  const batches = plan.batches.map(({ source, statements }) => ({
    source,
    statements: statements.map((statement) => ({ ...statement, name: null })),
  }))
  const parts = plan.parts.map((part) =>
    part.kind === 'transaction' ? { ...part, plan: unpreparedPlan(part.plan) } : part,
  )
  return { ...plan, batches, parts }
}

/** Names a statement by the hash of its text, so that equal statements of different documents share a prepared statement. */
function preparedStatement({ text, parameters }: Statement, path: string): PreparedStatement {
  if (parameters.length > MAX_PARAMETERS)
    throw new EngineError(
      'validation-failed',
      `the operation has too many values: ${parameters.length} > ${MAX_PARAMETERS}`,
      { path },
    )
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
  return { name, text, parameters, path }
}

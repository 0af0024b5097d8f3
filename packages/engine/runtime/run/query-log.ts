import type { Bindings } from '../../compiler/ir/ir.ts'
import { loggableRequest, shortOrNull } from '../../log/loggable-request.ts'
import { cutText, type TypedLog } from '../../log/typed-log.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import { fillStatement, type PreparedStatement } from '../database/execute.ts'
import type { PrintedPart } from '../database/printed-plan.ts'
import type { GraphQLRequest } from '../graphql-request.ts'
import type { PreparedOperation } from './prepare.ts'

type LoggedOperation = { prepared: PreparedOperation; session: Session; client: Client }

/** Writes the lines of the type `query-log`: one for each kind of root field in a prepared operation. */
export function logQuery(
  lines: TypedLog,
  request: GraphQLRequest,
  { prepared, session, client }: LoggedOperation,
): void {
  if (!lines.writes('info')) return
  const { plan, variables } = prepared
  const kinds = new Set<QueryKind>(plan.live ? ['database'] : plan.parts.map(kindOf))
  for (const kind of kinds) {
    const hasSql = kind === 'database' && plan.kind === 'query'
    lines.write('info', {
      kind,
      request_id: cutText(client.requestId),
      query: loggableRequest(request),
      generated_sql: hasSql ? describeStatements(prepared, { variables, session }) : null,
    })
  }
}

/** Hasura's names for the places that answer a root field. */
type QueryKind = 'database' | 'action' | 'remote-schema' | 'introspection'

function kindOf({ kind }: PrintedPart): QueryKind {
  switch (kind) {
    case 'action':
      return 'action'
    case 'remote':
      return 'remote-schema'
    case 'introspection':
    case 'constant':
      return 'introspection'
    default:
      return 'database'
  }
}

/** Describes each statement of a query, under the first root field that it answers. */
function describeStatements({ plan }: PreparedOperation, bindings: Bindings): object {
  const statements = plan.batches.flatMap((batch) => batch.statements)
  const entries = statements.map((statement, number) => {
    const part = plan.parts.find((each) => each.kind === 'column' && each.statement === number)
    const name = part?.as ?? `statement ${number}`
    const prepared_arguments = shortOrNull(readValues(statement, bindings))
    return [name, { query: cutText(statement.text, MAX_SQL), prepared_arguments }]
  })
  return Object.fromEntries(entries)
}

const MAX_SQL = 10_000

/** Returns the values of a statement; null if a value is wrong, which the operation itself then reports. */
function readValues(statement: PreparedStatement, bindings: Bindings): unknown {
  try {
    return fillStatement(statement, bindings).values
  } catch {
    return null
  }
}

import { z } from 'zod'

/** An error of a GraphQL response, as Hasura writes it. */
const ResponseError = z.looseObject({
  message: z.string(),
  extensions: z
    .looseObject({
      code: z.string().default(''),
      internal: z
        .looseObject({
          error: z.looseObject({ status_code: z.string(), message: z.string() }).optional(),
        })
        .optional()
        .catch(undefined),
    })
    .optional(),
})

const ResponseBody = z.looseObject({ errors: z.array(ResponseError).optional() })

/** Lists the errors of a response, each as one text, with the error of PostgreSQL if the response has it. */
export function errorsOf(body: unknown): { text: string; isExplained: boolean }[] {
  const response = ResponseBody.safeParse(body)
  if (!response.success)
    return [{ text: 'the response is not a GraphQL response', isExplained: false }]
  return (response.data.errors ?? []).map((error) => {
    const { message, extensions } = error
    const inner = extensions?.internal?.error
    const text = inner ? `${message}: ${inner.message} (${inner.status_code})` : message
    const isExplained =
      EXPLAINED_CODES.has(extensions?.code ?? '') ||
      EXPLAINED_MESSAGES.test(text) ||
      EXPLAINED_STATES.test(inner?.status_code ?? '')
    return { text, isExplained }
  })
}

/** Errors that the rows and the made-up values cause on any server: violated constraints and permission checks, malformed values. */
const EXPLAINED_CODES: ReadonlySet<string> = new Set([
  'constraint-violation',
  'permission-error',
  'data-exception',
])

/** Messages of errors that also occur with Hasura. */
const EXPLAINED_MESSAGES = new RegExp(
  [
    // Handlers and remote schemas do not run here.
    'http exception when|not a valid json response|remote schema|ECONNREFUSED',
    // A setting of the author's server.
    'unrecognized configuration parameter',
    // An aggregate without a selected field, and a wrong `order_by`.
    'Rows returned != 1|"distinct_on" columns must match',
    // A variable's default that does not have the variable's type.
    'parsing UTCTime failed',
    // A relationship between columns of different types.
    'operator does not exist: \\w+ = \\w+',
  ].join('|'),
  'i',
)

/** SQLSTATEs of data errors, constraint errors, exceptions of functions, and materialized views without data. */
const EXPLAINED_STATES = /^(22|23|P0001|55000)/

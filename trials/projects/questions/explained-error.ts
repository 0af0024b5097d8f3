import { z } from 'zod'

/** An error as Hasura answers it. */
const AnsweredError = z.looseObject({
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

const Answer = z.looseObject({ errors: z.array(AnsweredError).optional() })

/** The errors of an answer, each in one text, with PostgreSQL's own where the engine tells it. */
export function errorsOf(body: unknown): { text: string; isExplained: boolean }[] {
  const answer = Answer.safeParse(body)
  if (!answer.success) return [{ text: 'an answer that is no GraphQL answer', isExplained: false }]
  return (answer.data.errors ?? []).map((error) => {
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

/** What the rows and the made-up values lead to on any server: constraints, checks of permissions, values of a wrong form. */
const EXPLAINED_CODES: ReadonlySet<string> = new Set([
  'constraint-violation',
  'permission-error',
  'data-exception',
])

/** What fails with Hasura, too. */
const EXPLAINED_MESSAGES = new RegExp(
  [
    // Handlers and remote schemas do not run here.
    'http exception when|not a valid json response|remote schema|ECONNREFUSED',
    // A setting of the author's own server.
    'unrecognized configuration parameter',
    // An aggregate of which nothing is selected; an order that does not fit.
    'Rows returned != 1|"distinct_on" columns must match',
    // A default that is no value of its variable's type.
    'parsing UTCTime failed',
    // A relationship between columns of two types.
    'operator does not exist: \\w+ = \\w+',
  ].join('|'),
  'i',
)

/** Of PostgreSQL: data, constraints, exceptions that a function raises, a view that was not filled. */
const EXPLAINED_STATES = /^(22|23|P0001|55000)/

import { z } from 'zod'

const GraphqlError = z.object({
  message: z.string(),
  extensions: z.object({ code: z.string().catch('unexpected') }).catch({ code: 'unexpected' }),
})

/** The errors of a GraphQL response. */
export const GraphqlErrors = z.object({ errors: z.tuple([GraphqlError], GraphqlError) })

export type GraphqlError = z.output<typeof GraphqlError>

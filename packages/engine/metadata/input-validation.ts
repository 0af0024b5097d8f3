import { z } from 'zod'
import { Header } from './primitives.ts'

/** The webhook that validates the input of a mutation. */
export const InputValidationWebhook = z.strictObject({
  type: z.literal('http'),
  definition: z.strictObject({
    url: z.string(),
    headers: z.array(Header).default([]),
    forward_client_headers: z.boolean().default(false),
    timeout: z
      .number()
      .refine((seconds) => seconds >= 0, 'timeout value cannot be negative')
      .default(10),
  }),
})

export type InputValidationMetadata = z.infer<typeof InputValidationWebhook>

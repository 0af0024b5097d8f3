import { z } from 'zod'

/** The body of a refusal by the developer API. */
export const Failure = z.object({
  code: z.string(),
  /** A sentence for people. */
  detail: z.string(),
  /** The field at fault. */
  attribute: z.string().nullish(),
})

/** What `/api/v1/session` answers. */
export const CurrentSession = z.object({ login_id: z.string() })

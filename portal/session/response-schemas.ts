import { z } from 'zod'

/** The body of an error of the developer API. */
export const Failure = z.object({
  code: z.string(),
  /** A sentence for users. */
  detail: z.string(),
  /** The field at fault. */
  attribute: z.string().nullish(),
})

/** The response of `/api/v1/session`. */
export const CurrentSession = z.object({ login_id: z.string() })

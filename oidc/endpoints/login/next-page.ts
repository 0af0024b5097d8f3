import { z } from 'zod'

/** The URL to which the sign-in page sends the browser next. */
export const NextPage = z.strictObject({ redirect_to: z.string() })

import { z } from 'zod'

/** Where the sign-in page sends the browser. */
export const GoOn = z.strictObject({ redirect_to: z.string() })

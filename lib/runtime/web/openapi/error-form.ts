import type { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'

/** An error response of a route. */
export type ErrorDescription = {
  code: ErrorCode
  status: number
  message: string
  attribute: string | null
}

/** The form of a service's errors. */
export type ErrorForm = {
  /** Returns the schema of an error body with any of these codes. */
  schema(codes: readonly ErrorCode[]): z.ZodType
  example(error: ErrorDescription): object
}

import type { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'

/** An error that a route may answer with. */
export type Refused = {
  code: ErrorCode
  status: number
  message: string
  attribute: string | null
}

/** How a service writes its errors. */
export type ErrorForm = {
  /** The body of an error with one of these codes. */
  schema(codes: readonly ErrorCode[]): z.ZodType
  example(refused: Refused): object
}

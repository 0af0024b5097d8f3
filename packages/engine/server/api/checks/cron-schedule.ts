import { z } from 'zod'
import { isCronExpression } from '../../../compiler/model/triggers/cron-triggers.ts'

/** A cron expression in a command's arguments. */
export const CronSchedule = z.string().refine(isCronExpression, {
  error: ({ input }) => `invalid cron schedule: ${JSON.stringify(input)}`,
})

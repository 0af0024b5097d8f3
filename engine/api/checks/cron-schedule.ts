import { z } from 'zod'
import { isSchedule } from '../../model/cron-triggers.ts'

/** A cron expression in a command's arguments. */
export const CronSchedule = z.string().refine(isSchedule, {
  error: ({ input }) => `invalid cron schedule: ${JSON.stringify(input)}`,
})

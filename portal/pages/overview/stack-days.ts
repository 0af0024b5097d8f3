import { type Day, fillDays } from '../action/fill-days.ts'

/** A day, and how many people first verified on that day for each action, by the action's id. */
export type StackedDay = { day: string; [actionId: string]: number | string }

type ActionDays = { id: string; days: readonly Day[] }

/** Returns all days of a period in order, each with the people of every action. */
export function stackDays(actions: readonly ActionDays[], from: Date, count: number): StackedDay[] {
  const filled = actions.map(({ id, days }) => ({ id, days: fillDays(days, from, count) }))
  return fillDays([], from, count).map(({ day }, index) => ({
    day,
    ...Object.fromEntries(filled.map(({ id, days }) => [id, days[index]?.persons ?? 0])),
  }))
}

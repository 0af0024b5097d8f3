import { type Day, fillDays } from '../action/fill-days.ts'

/** The people of several actions on one day, by the action's id. */
export type StackedDay = { day: string; [actionId: string]: number | string }

type ActionDays = { id: string; days: readonly Day[] }

/** The days of a period one after another, each with the people of every action. */
export function stackDays(actions: readonly ActionDays[], from: Date, count: number): StackedDay[] {
  const filled = actions.map(({ id, days }) => ({ id, days: fillDays(days, from, count) }))
  return fillDays([], from, count).map(({ day }, index) => ({
    day,
    ...Object.fromEntries(filled.map(({ id, days }) => [id, days[index]?.persons ?? 0])),
  }))
}

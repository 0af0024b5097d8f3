import { oneOf } from '../../components/url-state/url-parameters.ts'

type RangeDetails = {
  label: string
  /** The length of each bar of the chart, in hours, and the number of bars. */
  hours: number
  spans: number
  personIn: string
  peopleIn: string
  bars: string
}

const DETAILS = {
  month: {
    label: '30 days',
    hours: 24,
    spans: 30,
    personIn: 'person verified for the first time in the last 30 days',
    peopleIn: 'people verified for the first time in the last 30 days',
    bars: 'Each bar is a day. Days and times on this page are in UTC.',
  },
  day: {
    label: '24 hours',
    hours: 1,
    spans: 24,
    personIn: 'person verified for the first time in the last 24 hours',
    peopleIn: 'people verified for the first time in the last 24 hours',
    bars: 'Each bar is an hour. Days and times on this page are in UTC.',
  },
  week: {
    label: '7 days',
    hours: 24,
    spans: 7,
    personIn: 'person verified for the first time in the last 7 days',
    peopleIn: 'people verified for the first time in the last 7 days',
    bars: 'Each bar is a day. Days and times on this page are in UTC.',
  },
  quarter: {
    label: '90 days',
    hours: 24,
    spans: 90,
    personIn: 'person verified for the first time in the last 90 days',
    peopleIn: 'people verified for the first time in the last 90 days',
    bars: 'Each bar is a day. Days and times on this page are in UTC.',
  },
  year: {
    label: '1 year',
    // A bar of five days, because 365 days are no whole number of weeks.
    hours: 5 * 24,
    spans: 73,
    personIn: 'person verified for the first time in the last 365 days',
    peopleIn: 'people verified for the first time in the last 365 days',
    bars: 'Each bar is five days. Days and times on this page are in UTC.',
  },
} satisfies Record<string, RangeDetails>

/** The period that a page's figures count. */
export type Range = keyof typeof DETAILS

/** The choices of a period, shortest first. */
export const RANGE_CHOICES: { value: Range; label: string }[] = (
  ['day', 'week', 'month', 'quarter', 'year'] as const
).map((value) => ({ value, label: DETAILS[value].label }))

/** The parameter of a page's address with the period of its figures. */
export const RANGE_PARAMETER = { range: oneOf(['month', 'day', 'week', 'quarter', 'year']) }

export function rangeDetails(range: Range): RangeDetails {
  return DETAILS[range]
}

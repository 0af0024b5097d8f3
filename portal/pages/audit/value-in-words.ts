import { writeAmount } from '../payments/amount.ts'
import type { Names } from './audit-names.ts'

const ROLE_NAMES: ReadonlyMap<unknown, string> = new Map([
  ['OWNER', 'Owner'],
  ['ADMIN', 'Admin'],
  ['MEMBER', 'Member'],
])

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const TIME_COLUMNS = new Set(['mailed_at', 'not_before', 'blocked_at', 'deleted_at'])

/** Writes the value of a column for a reader. */
function valueInWords(column: string, value: unknown, names: Names): string {
  if (value === '' || value === null) return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (column === 'max_verifications' && value === 0) return 'unlimited'
  if (column === 'role') return ROLE_NAMES.get(value) ?? String(value)
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (column === 'token_amount' && /^[0-9]+$/.test(value)) return writeAmount(value)
  if (TIME_COLUMNS.has(column) && !Number.isNaN(Date.parse(value)))
    return TIME.format(new Date(value))
  return names.get(value)?.name ?? value
}

type Values = { old?: unknown; new?: unknown }

/** Writes the old and the new value of a column. A value of a secret is never stored, so only its change is known. */
export function changeInWords(column: string, values: Values, names: Names): string {
  const texts = [values.old, values.new]
    .filter((value) => value !== undefined)
    .map((value) => valueInWords(column, value, names))
  return texts.length > 0 ? texts.join(' → ') : 'changed'
}

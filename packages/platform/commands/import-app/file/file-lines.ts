import { z } from 'zod'
import { formatField, parseField } from '../../../../../lib/proof/encoding.ts'

/** The largest integer of PostgreSQL. */
const LARGEST = 2_147_483_647

const Text = z
  .string()
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'PostgreSQL cannot store the text')
/** A name has one line, so line breaks and other control characters become spaces. */
const Name = Text.transform((name) => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '))

const AppLine = z.strictObject({
  type: z.literal('app'),
  id: z
    .string()
    .regex(
      /^app_(staging_)?[0-9a-f]{32}$/,
      'must be app_ or app_staging_ and 32 lower-case hex digits',
    ),
  name: Name.pipe(z.string().min(1).max(128)),
  is_staging: z.boolean(),
})

const ActionLine = z.strictObject({
  type: z.literal('action'),
  action: Text.max(256),
  id: z
    .string()
    .regex(
      /^(action|wid|wid_staging)_[0-9a-f]{32}$/,
      'must be action_, wid_ or wid_staging_ and 32 lower-case hex digits',
    )
    .optional(),
  name: Name.pipe(z.string().max(128)).default(''),
  description: Text.max(4096).default(''),
  max_verifications: z.int().min(0).max(LARGEST).default(1),
  status: z.enum(['active', 'inactive']).default('active'),
  protocol: z.enum(['3.0', '4.0', 'both']).default('3.0'),
  external_nullifier: z.string().optional(),
})

const PersonLine = z.strictObject({
  type: z.literal('person'),
  action: z.string(),
  nullifier_hash: z.string().transform((text, context) => {
    const number = parseField(text)
    if (number !== null) return formatField(number)
    context.addIssue('must be 1 to 64 hex digits, with or without 0x, below the modulus')
    return z.NEVER
  }),
  uses: z.int().min(0).max(LARGEST).optional(),
  created_at: z.iso.datetime({ offset: true }).optional(),
  id: z.string().max(100).optional(),
})

const EndLine = z.strictObject({ type: z.literal('end'), people: z.int().min(0) })

const FileLine = z.discriminatedUnion('type', [AppLine, ActionLine, PersonLine, EndLine])

export type AppLine = z.infer<typeof AppLine>
export type ActionLine = z.infer<typeof ActionLine>
export type PersonLine = z.infer<typeof PersonLine>
export type FileLine = z.infer<typeof FileLine>

/**
 * Parses one line of a file of people (docs/operations/import.md).
 *
 * @returns the line, or a text that says what is wrong
 */
export function parseFileLine(text: string): FileLine | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `is not JSON; got ${shorten(text)}`
  }
  const parsed = FileLine.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') || 'the line'
  return `${field}: ${issue?.message}; got ${shorten(text)}`
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)} …` : text
}

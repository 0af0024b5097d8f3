import { z } from 'zod'
import { requireValue } from './require-value.ts'

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must begin with http:// or https://' })
export const port = z.coerce.number().int().min(0).max(65_535)
export const count = z.coerce.number().int().min(1)
const secret = z.string().min(32, 'must have at least 32 characters')
const longSecret = z.string().min(64, 'must have at least 64 characters')
const list = z.string().transform((text) => text.split(',').filter(Boolean))
/** New values use the first secret; all secrets are accepted (see `Secrets`). */
export const secrets = list.pipe(z.tuple([secret], secret))
export const longSecrets = list.pipe(z.tuple([longSecret], longSecret))
export const address = z.templateLiteral(
  ['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)],
  'must be 0x and 40 hex digits',
)
export const dateOrNever = z
  .union(
    [z.literal('never'), z.iso.datetime({ offset: true })],
    'must be never, or a time such as 2024-06-30T23:59:59Z',
  )
  .transform((text) => (text === 'never' ? null : new Date(text)))
export const rate = z
  .string()
  .regex(/^[1-9]\d*\/[1-9]\d*$/, 'must be a count and seconds, like 10/60')
  .transform((text) => {
    const [limit, seconds] = text.split('/').map(Number)
    return {
      limit: requireValue(limit, 'a count'),
      windowMs: requireValue(seconds, 'seconds') * 1_000,
    }
  })
export const json = z.string().transform((text, { addIssue }) => {
  try {
    return JSON.parse(text)
  } catch {
    addIssue('must be JSON')
    return z.NEVER
  }
})
export const currency = z.string().regex(/^[A-Z0-9]{1,16}$/, 'must be like USDC')
export const chainName = z.string().regex(/^[a-z0-9-]{1,32}$/)
export const chain = z.strictObject({
  rpc_url: httpUrl,
  chain_id: z.int().positive().optional(),
  confirmations: z.int().min(1).max(1_000).optional(),
  tokens: z
    .record(currency, z.strictObject({ address, decimals: z.int().min(0).max(36) }))
    .optional(),
})
export const feeds = z.strictObject({
  rpc_url: httpUrl,
  feeds: z.record(
    z.string().regex(/^[A-Z0-9]{1,16}\/[A-Z]{3}$/, 'must be named like WLD/USD'),
    z.strictObject({ address, heartbeat_seconds: z.int().positive() }),
  ),
})
export const fiats = z
  .string()
  .regex(/^[A-Z]{3}(,[A-Z]{3})*$/, 'must be codes like USD,EUR')
  .transform((text) => text.split(','))
/** A base URL; callers append paths to it. */
export const webAddress = httpUrl.transform(withoutLastSlash)
export const names = z.string().transform((text) => text.split(',').map((name) => name.trim()))

/** A group of people, and the verification levels that membership proves: `name=orb+device`, or `name=all`. */
const group = z.string().regex(/^[\w.-]+=\w+(\+\w+)*$/, 'must be like semaphore.wld.eth=orb')
export const groups = list.pipe(z.tuple([group], group))

function withoutLastSlash(url: string): string {
  return url.replace(/\/$/, '')
}

import { z } from 'zod'

/** An answer of Hasura with nothing but errors. */
const Failed = z.strictObject({
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) }))
    .min(1),
})

const Failure = z.union([Failed, z.array(Failed).min(1)])

/**
 * Whether Hasura says, with the status 200, that it cannot work now: it reaches no database, or has no connection left, or
 * its auth hook fails, which is ours and has a database to ask, too.
 */
export function meansUnavailable(body: Buffer): boolean {
  if (!SIGNS.some((sign) => body.includes(sign))) return false
  const parsed = Failure.safeParse(JSON.parse(body.toString()))
  const answers = parsed.success ? [parsed.data].flat() : []
  const errors = answers.flatMap((answer) => answer.errors)
  return errors.length > 0 && errors.every(isAway)
}

const NO_CONNECTION = 'postgres-max-connections-error'
const CONNECTION_LOST = 'connection error'
const HOOK_FAILED = [
  'Invalid response from authorization hook',
  'webhook authentication request failed',
]
const SIGNS = [NO_CONNECTION, CONNECTION_LOST, ...HOOK_FAILED]

function isAway({ message, extensions: { code } }: z.infer<typeof Failed>['errors'][number]) {
  if (code === 'unexpected') return HOOK_FAILED.some((text) => message.startsWith(text))
  return code === NO_CONNECTION || (code === 'postgres-error' && message === CONNECTION_LOST)
}

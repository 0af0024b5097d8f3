import { z } from 'zod'

/** A response of Hasura with only errors. */
const Failed = z.strictObject({
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) }))
    .min(1),
})

const Failure = z.union([Failed, z.array(Failed).min(1)])

/**
 * True if a response has only errors that say that Hasura is unavailable: it has no connection to the database, or its auth
 * hook failed. The auth hook is a route of the developer API, which needs the database, too.
 */
export function reportsUnavailable(body: Buffer): boolean {
  if (!SIGNS.some((sign) => body.includes(sign))) return false
  const parsed = Failure.safeParse(JSON.parse(body.toString()))
  const answers = parsed.success ? [parsed.data].flat() : []
  const errors = answers.flatMap((answer) => answer.errors)
  return errors.length > 0 && errors.every(isUnavailable)
}

const NO_CONNECTION = 'postgres-max-connections-error'
const CONNECTION_LOST = 'connection error'
const HOOK_FAILED = [
  'Invalid response from authorization hook',
  'webhook authentication request failed',
]
const SIGNS = [NO_CONNECTION, CONNECTION_LOST, ...HOOK_FAILED]

function isUnavailable({
  message,
  extensions: { code },
}: z.infer<typeof Failed>['errors'][number]) {
  if (code === 'unexpected') return HOOK_FAILED.some((text) => message.startsWith(text))
  return code === NO_CONNECTION || (code === 'postgres-error' && message === CONNECTION_LOST)
}

import { z } from 'zod'
import { EngineError } from '../errors.ts'
import type { Call } from '../http/guarded.ts'
import { ADMIN } from '../session/session.ts'

/** What every command of the metadata and query API looks like. */
export const Command = z.object({
  type: z.string(),
  version: z.number().int().default(1),
  resource_version: z.number().int().nullish(),
  args: z.unknown().default({}),
})
/** A command as it came in. */
export type Command = z.infer<typeof Command>

/** Carries out one command; the result is the JSON to answer. */
export type Carry = (command: Command, call: Call) => Promise<unknown>

/**
 * Carries out a command from a table of them; `bulk` is a list of commands.
 *
 * @throws access-denied for anybody but admin, parse-failed for what is not a command
 */
export async function dispatch(
  body: unknown,
  call: Call,
  table: ReadonlyMap<string, Carry>,
): Promise<unknown> {
  if (call.session.role !== ADMIN) {
    throw new EngineError('access-denied', 'restricted access : admin only', { status: 400 })
  }
  const command = parseArgs(Command, body, '$')
  const carry = table.get(command.type)
  if (carry) return carry(command, call)
  if (!BULK.has(command.type)) {
    const message = `unknown or unsupported command: ${command.type}`
    throw new EngineError('parse-failed', message, { path: '$.type' })
  }
  const results: unknown[] = []
  for (const [i, item] of parseArgs(z.array(z.unknown()), command.args).entries()) {
    results.push(await within(`$.args[${i}]`, dispatch(item, call, table)))
  }
  return results
}

/**
 * Reads arguments.
 *
 * @throws parse-failed with the path of what is wrong
 */
export function parseArgs<T extends z.ZodType>(
  schema: T,
  args: unknown,
  base = '$.args',
): z.output<T> {
  const parsed = schema.safeParse(args ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const steps = (issue?.path ?? []).map((key) =>
    typeof key === 'number' ? `[${key}]` : `.${String(key)}`,
  )
  const path = `${base}${steps.join('')}`
  throw new EngineError('parse-failed', issue?.message ?? 'malformed', { path })
}

/** What most commands answer. */
export const SUCCESS = { message: 'success' }

const BULK: ReadonlySet<string> = new Set([
  'bulk',
  'bulk_keep_going',
  'bulk_atomic',
  'concurrent_bulk',
])

/** The same failure, seen from the list that the command was in. */
function within<T>(prefix: string, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    if (!(thrown instanceof EngineError)) throw thrown
    const { code, message, status, internal, path } = thrown
    const context = { path: path.replace('$', () => prefix), status, internal, cause: thrown }
    throw new EngineError(code, message, context)
  })
}

import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { failure, type Reply } from '../http/exchange.ts'
import type { Call } from '../http/guarded.ts'
import { own } from '../own.ts'
import { type Audience, metadataError, toEngineError } from '../render-error.ts'
import { ADMIN, type Session } from '../session/session.ts'

/** What every command of the metadata and query API looks like. */
export const CommandSchema = z.object({
  type: z.string(),
  version: z.union([z.literal(1), z.literal(2)]).default(1),
  resource_version: z.number().int().nullish(),
  args: z.unknown().default({}),
})
/** A command as it came in. */
export type Command = z.infer<typeof CommandSchema>

/** Carries out one command; the result is the JSON to answer. */
export type Carry = (command: Command, call: Call) => Promise<unknown>

/**
 * Carries out a command from a table of them; `bulk` is a list of commands.
 *
 * @throws parse-failed for what is not a command, access-denied for anybody but admin
 */
export async function dispatch(
  body: unknown,
  call: Call,
  table: ReadonlyMap<string, Carry>,
): Promise<unknown> {
  const command = parseArgs(CommandSchema, body, '$')
  const carry = table.get(command.type)
  const settle = own(BULKS, command.type)
  if (!carry && !settle)
    throw new EngineError('parse-failed', `unknown metadata command "${command.type}"`)
  requireAdmin(call.session, '$.args')
  if (carry) return carry(command, call)
  const results: unknown[] = []
  for (const [i, item] of parseArgs(z.array(z.unknown()), command.args).entries()) {
    const one = within(`$.args[${i}]`, dispatch(item, call, table))
    results.push(
      await settle?.(one, { session: call.session, config: call.services.engine.config }),
    )
  }
  return results
}

/** @throws access-denied for anybody but admin */
export function requireAdmin({ role }: Session, path = '$'): void {
  if (role === ADMIN) return
  throw new EngineError('access-denied', 'restricted access : admin only', { status: 400, path })
}

/** How everything but GraphQL words a failure. */
export function refuse(error: EngineError, audience: Audience): Reply {
  return failure(error.status, JSON.stringify(metadataError(error, audience)))
}

type Settle = (one: Promise<unknown>, audience: Audience) => Promise<unknown>

/** The lists of commands, and what a failure does to those behind it. */
const BULKS: Readonly<Record<string, Settle>> = {
  bulk: (one) => one,
  // Hasura admits only reading statements there, and then their order does not show.
  concurrent_bulk: (one) => one,
  bulk_keep_going: (one, audience) =>
    one.catch((thrown: unknown) => metadataError(toEngineError(thrown), audience)),
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

function within<T>(prefix: string, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw inside(prefix, thrown)
  })
}

/** The same failure, seen from the list that the command was in. */
export function inside(prefix: string, thrown: unknown): unknown {
  if (!(thrown instanceof EngineError)) return thrown
  const { code, message, status, internal, path } = thrown
  const context = { path: path.replace('$', () => prefix), status, internal, cause: thrown }
  return new EngineError(code, message, context)
}

import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { errorReply, type HttpReply } from '../http/endpoint.ts'
import { own } from '../json/own.ts'
import { type Audience, renderMetadataError, toEngineError } from '../session/render-error.ts'
import { ADMIN, type Session } from '../session/session.ts'
import { UNSUPPORTED } from './unsupported-commands.ts'

/** The shape of all commands of the metadata and query API. */
export const CommandSchema = z.object({
  type: z.string(),
  version: z
    .number()
    .refine((version) => version === 1 || version === 2, {
      error: ({ input }) => `expected 1 or 2, encountered ${input}`,
    })
    .default(1),
  resource_version: z.number().int().nullish(),
  args: z.unknown().default({}),
})
/** A command as it was sent; its arguments are not checked yet. */
export type Command = z.infer<typeof CommandSchema>

/** Carries out one command; the result is the JSON to answer. */
export type Carry = (command: Command, call: AuthenticatedRequest) => Promise<unknown>

/**
 * Carries out a command from a table of them; `bulk` is a list of commands.
 *
 * @throws parse-failed for what is not a command, access-denied for anybody but admin
 */
export async function dispatch(
  body: unknown,
  call: AuthenticatedRequest,
  table: ReadonlyMap<string, Carry>,
): Promise<unknown> {
  const command = parseArgs(CommandSchema, body, '$')
  const carry = table.get(command.type)
  const settle = own(BULKS, command.type)
  if (!carry && !settle) throw unknown(command.type)
  requireAdmin(call.session, '$.args')
  if (carry) {
    try {
      return await carry(command, call)
    } catch (thrown) {
      throw ofCommand(command.type, thrown)
    }
  }
  const results: unknown[] = []
  for (const [i, item] of parseArgs(z.array(z.unknown()), command.args).entries()) {
    const one = within(`$.args[${i}]`, dispatch(item, call, table))
    results.push(
      await settle?.(one, { session: call.session, config: call.services.engine.config }),
    )
  }
  return results
}

function unknown(type: string): EngineError {
  if (UNSUPPORTED.has(type)) return new EngineError('not-supported', `${type} is not supported`)
  const [backend] = type.split('_')
  const why =
    backend === 'pg'
      ? `"${type.slice(3)}" for backend postgres`
      : `"${type}"; "${backend}" was not recognized as a valid backend name`
  return new EngineError('parse-failed', `unknown metadata command ${why}`)
}

/** The same error with the hint that Hasura adds when it cannot parse the arguments of a `pg_…` command. */
export function ofCommand(type: string, thrown: unknown): unknown {
  if (!(thrown instanceof EngineError) || thrown.code !== 'parse-failed') return thrown
  if (!type.startsWith('pg_')) return thrown
  const { path, message, status } = thrown
  const context = { path, status, cause: thrown }
  return new EngineError('parse-failed', inCommand(type.slice(3), message), context)
}

function inCommand(command: string, message: string): string {
  return `Error when parsing command ${command}.
See our documentation at https://hasura.io/docs/latest/graphql/core/api-reference/metadata-api/index.html#metadata-apis.
Internal error message: ${message}`
}

/** @throws access-denied for anybody but admin */
export function requireAdmin({ role }: Session, path = '$'): void {
  if (role === ADMIN) return
  throw new EngineError('access-denied', 'restricted access : admin only', { status: 400, path })
}

/**
 * Checks the version of the metadata to which a command refers, if any.
 *
 * @throws conflict unless it is the current one
 */
export function checkVersion(referenced: number | null | undefined, current: number) {
  if (referenced == null || referenced === current) return
  throw new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version (${current})`,
  )
}

/** The reply for an error on every endpoint but those of GraphQL. */
export function refuse(error: EngineError, audience: Audience): HttpReply {
  return errorReply(error.status, JSON.stringify(renderMetadataError(error, audience)))
}

type Settle = (one: Promise<unknown>, audience: Audience) => Promise<unknown>

/** The commands that run a list of commands, and what each does when one of them fails. */
const BULKS: Readonly<Record<string, Settle>> = {
  bulk: (one) => one,
  // One after another is enough: Hasura allows only reading statements here, so their order does not matter.
  concurrent_bulk: (one) => one,
  bulk_keep_going: (one, audience) =>
    one.catch((thrown: unknown) => renderMetadataError(toEngineError(thrown), audience)),
}

/** The answer of most commands. */
export const SUCCESS = { message: 'success' }

function within<T>(prefix: string, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw inside(prefix, thrown)
  })
}

/**
 * The same error with a longer path:
 * `prefix`, the command's place in a list, replaces `of` at its beginning.
 */
export function inside(prefix: string, thrown: unknown, of = '$'): unknown {
  if (!(thrown instanceof EngineError)) return thrown
  const { code, message, status, internal, path } = thrown
  const context = { path: path.replace(of, () => prefix), status, internal, cause: thrown }
  return new EngineError(code, message, context)
}

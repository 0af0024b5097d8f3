import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import type { MadeType } from '../../metadata-store/consistency-rules.ts'
import type { DocumentEdit } from '../../metadata-store/edit/metadata-document.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import type { EngineServices } from '../http/endpoint.ts'

/** A command as a caller sends it; its arguments are not checked yet. */
export const CommandRequest = z.object({
  type: z.string(),
  version: z
    .number()
    .refine((version) => version === 1 || version === 2, {
      error: ({ input }) => `expected 1 or 2, encountered ${input}`,
    })
    .default(1),
  resource_version: z.number().int().nullish(),
  args: z.unknown().refine((args) => args !== undefined, 'key "args" not found'),
})
export type CommandRequest = z.infer<typeof CommandRequest>

/** Carries out a command; the result is the JSON to answer. */
export type RunCommand = (request: CommandRequest, call: AuthenticatedRequest) => Promise<unknown>

/** A command of the API: its name, its checks, and the function that carries it out. */
export type Command = EditCommand | OtherCommand

/** A command that changes one thing in the metadata document. */
export type EditCommand = {
  /** The name by which callers ask for it. */
  type: string
  edit: DocumentEdit
  /** The type of the objects that it makes or changes; absent if it drops something. */
  makes?: NonNullable<MadeType>
  /** Checks what needs the model or the database, and throws to refuse. `bulk_atomic` does not call it. */
  check?(args: unknown, services: EngineServices): void | Promise<void>
  /** Carries it out, where `applyEdit` does not suffice. `bulk_atomic` does not call it. */
  apply?(
    command: EditCommand,
    request: CommandRequest,
    call: AuthenticatedRequest,
  ): Promise<unknown>
}

/** A command that only reads, or that does more than change one thing in the document. */
export type OtherCommand = { type: string; run: RunCommand }

/** The answer of most commands. */
export const SUCCESS = { message: 'success' }

/**
 * Checks the version of the metadata to which a command refers, if any.
 *
 * @throws conflict unless it is the current one
 */
export function requireVersion(referenced: number | null | undefined, current: number) {
  if (referenced == null || referenced === current) return
  throw new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version`,
  )
}

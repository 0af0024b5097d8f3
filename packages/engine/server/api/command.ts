import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import type { CreatedType } from '../../metadata-store/consistency-rules.ts'
import type { DocumentEdit } from '../../metadata-store/edit/metadata-document.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import type { EngineServices } from '../http/endpoint.ts'

/** A command as the caller sent it, with unchecked arguments. */
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

/** Runs a command, and returns the JSON of the response. */
export type RunCommand = (request: CommandRequest, call: AuthenticatedRequest) => Promise<unknown>

/** A command of `/v1/metadata` or `/v2/query`. */
export type Command = EditCommand | OtherCommand

/** A command with an edit of the metadata document. `bulk_atomic` accepts no other commands, and runs only their edits. */
export type EditCommand = {
  /** The name of the command in a request. */
  type: string
  edit: DocumentEdit
  /** The type of the objects that the command creates or changes. It chooses the error if an object becomes inconsistent. */
  createdType?: NonNullable<CreatedType>
  /**
   * Checks the arguments against more than the document, such as the database or a remote server. Throws to reject them.
   * `bulk_atomic` does not call it.
   */
  check?(args: unknown, services: EngineServices): void | Promise<void>
  /** Replaces `applyEdit` for this command. `bulk_atomic` does not call it. */
  apply?(
    command: EditCommand,
    request: CommandRequest,
    call: AuthenticatedRequest,
  ): Promise<unknown>
}

/** Any other command: for example, a command that reads, runs SQL, or replaces the whole metadata. */
export type OtherCommand = { type: string; run: RunCommand }

/** The response of most commands. */
export const SUCCESS = { message: 'success' }

/**
 * Checks the metadata version that a command refers to, if it refers to one.
 *
 * @throws conflict unless it is the current version
 */
export function requireVersion(referenced: number | null | undefined, current: number) {
  if (referenced == null || referenced === current) return
  throw new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version`,
  )
}

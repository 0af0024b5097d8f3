import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import type { DocumentEdit } from '../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../metadata-store/edit/parse-args.ts'
import { applyTogether } from './apply-edit.ts'
import { type Command, CommandRequest, type EditCommand, type RunCommand } from './command.ts'
import { withCommandHint } from './command-errors.ts'

/** `bulk_atomic`: applies a list of commands as one change of the metadata. Each must be an `EditCommand`. */
export function bulkAtomic(commands: readonly Command[]): RunCommand {
  const edits = new Map(
    commands.flatMap((command) => ('edit' in command ? [[command.type, command]] : [])),
  )
  return async ({ args, resource_version }, call) => {
    const steps = parseArgs(z.array(CommandRequest), args).map((request, i) => {
      const path = `$.args[${i}]`
      const command = edits.get(request.type)
      if (command)
        return { ...command, edit: withHint(command), args: request.args, argsPath: `${path}.args` }
      const message = `unsupported in bulk_atomic: ${request.type}`
      throw new EngineError('not-supported', message, { path })
    })
    return applyTogether(steps, resource_version, call)
  }
}

/** Returns the command's edit. Errors about its arguments mention the command, as in Hasura. */
function withHint({ type, edit }: EditCommand): DocumentEdit {
  return (document, args) => {
    try {
      edit(document, args)
    } catch (thrown) {
      throw withCommandHint(type, thrown)
    }
  }
}

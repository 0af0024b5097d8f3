import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { refuseNewInconsistencies } from '../../metadata-store/consistency-rules.ts'
import { parseArgs } from '../../metadata-store/edit/parse-args.ts'
import { followDrop } from '../../metadata-store/follow-schema/schema-change.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import {
  type CommandRequest,
  type EditCommand,
  type RunCommand,
  requireVersion,
  SUCCESS,
} from './command.ts'
import { withPathPrefix } from './command-errors.ts'

/** Applies a command's edit, unless it makes objects of the metadata inconsistent (`refuseNewInconsistencies`). */
export async function applyEdit(
  command: EditCommand,
  { args, resource_version }: CommandRequest,
  call: AuthenticatedRequest,
) {
  await command.check?.(args, call.services)
  return applyTogether([{ ...command, args, argsPath: '$.args' }], resource_version, call)
}

/**
 * Creates a command that applies an edit to each entry of a list in its arguments, such as `tables`. If one edit fails, none is
 * applied.
 */
export function applyToEach(
  list: string,
  command: Pick<EditCommand, 'edit' | 'createdType'>,
): RunCommand {
  const Entries = z.object({ [list]: z.array(z.unknown()) })
  return ({ args, resource_version }, call) => {
    const entries = requireValue(parseArgs(Entries, args)[list], `the list ${list}`)
    const steps = entries.map((entry, i) => ({
      ...command,
      args: entry,
      argsPath: `$.args.${list}[${i}]`,
    }))
    return applyTogether(steps, resource_version, call)
  }
}

/** An edit with its arguments. `argsPath` is the JSONPath of the arguments in the request. */
export type EditStep = Pick<EditCommand, 'edit' | 'createdType'> & {
  args: unknown
  argsPath: string
}

/** Applies several edits: all of them, or none. */
export async function applyTogether(
  steps: readonly EditStep[],
  resourceVersion: number | null | undefined,
  { services: { store } }: AuthenticatedRequest,
) {
  requireVersion(resourceVersion, store.current().resourceVersion)
  await store.change(
    (document) => {
      const copy = structuredClone(document)
      for (const { edit, args, argsPath } of steps) {
        try {
          edit(copy, args)
        } catch (thrown) {
          throw withPathPrefix(argsPath, thrown, '$.args')
        }
      }
      return copy
    },
    refuseNewInconsistencies(steps.map(({ createdType }) => createdType ?? null)),
  )
  return SUCCESS
}

const DropArgs = z.object({ cascade: z.boolean().nullish() })

/** Applies a command that drops an object. With `cascade`, also drops its dependents. */
export async function applyDrop(
  { edit }: EditCommand,
  { args, resource_version }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const { document, resourceVersion } = store.current()
  requireVersion(resource_version, resourceVersion)
  const copy = structuredClone(document)
  edit(copy, args)
  const newDocument = followDrop(engine, copy, parseArgs(DropArgs, args).cascade ?? false)
  await store.change(
    () => {
      requireVersion(resourceVersion, store.current().resourceVersion)
      return newDocument
    },
    refuseNewInconsistencies([null]),
  )
  return SUCCESS
}

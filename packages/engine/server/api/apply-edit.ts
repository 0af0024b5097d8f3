import { z } from 'zod'
import { present } from '../../../../lib/runtime/present.ts'
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

/** Makes a command's edit, which is refused if anything would become inconsistent by it. */
export async function applyEdit(
  command: EditCommand,
  { args, resource_version }: CommandRequest,
  call: AuthenticatedRequest,
) {
  await command.check?.(args, call.services)
  return applyTogether([{ ...command, args, at: '$.args' }], resource_version, call)
}

/** Makes one edit for each entry of a list in the arguments, such as `tables`: all of them, or none. */
export function applyToEach(list: string, made: Pick<EditCommand, 'edit' | 'makes'>): RunCommand {
  const Entries = z.object({ [list]: z.array(z.unknown()) })
  return ({ args, resource_version }, call) => {
    const entries = present(parseArgs(Entries, args)[list], `the list ${list}`)
    const steps = entries.map((entry, i) => ({ ...made, args: entry, at: `$.args.${list}[${i}]` }))
    return applyTogether(steps, resource_version, call)
  }
}

/** One edit; `at` is the path of its arguments. */
export type EditStep = Pick<EditCommand, 'edit' | 'makes'> & { args: unknown; at: string }

/** Makes several edits, all of them or none. */
export async function applyTogether(
  steps: readonly EditStep[],
  resourceVersion: number | null | undefined,
  { services: { store } }: AuthenticatedRequest,
) {
  requireVersion(resourceVersion, store.current().resourceVersion)
  await store.change(
    (document) => {
      const copy = structuredClone(document)
      for (const { edit, args, at } of steps) {
        try {
          edit(copy, args)
        } catch (thrown) {
          throw withPathPrefix(at, thrown, '$.args')
        }
      }
      return copy
    },
    refuseNewInconsistencies(steps.map(({ makes }) => makes ?? null)),
  )
  return SUCCESS
}

const Dropping = z.object({ cascade: z.boolean().nullish() })

/** Makes a command's edit, which drops something; with `cascade`, also drops what depends on that. */
export async function applyDrop(
  { edit }: EditCommand,
  { args, resource_version }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const { document, resourceVersion } = store.current()
  requireVersion(resource_version, resourceVersion)
  const copy = structuredClone(document)
  edit(copy, args)
  const left = followDrop(engine, copy, parseArgs(Dropping, args).cascade ?? false)
  await store.change(
    () => {
      requireVersion(resourceVersion, store.current().resourceVersion)
      return left
    },
    refuseNewInconsistencies([null]),
  )
  return SUCCESS
}

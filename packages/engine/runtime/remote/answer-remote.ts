import type { RemoteCall } from '../../compiler/plan/plan.ts'
import type { JoinTree } from '../../compiler/plan/root/join-tree.ts'
import { isList, isRecord } from '../../json/record.ts'
import { parseScientificJson } from '../../json/scientific.ts'
import { fillSlots } from './fill-slots.ts'
import { printRequest } from './print-request.ts'
import type { RemoteContext } from './remote-context.ts'
import { fetchFromRemote } from './remote-reply.ts'
import { type Slot, shapeResponse, withSlots } from './slot.ts'

/** The errors of a remote server. They are the result of the whole operation; the engine only sorts their keys. */
export class RemoteErrors extends Error {
  override readonly name = 'RemoteErrors'
  readonly errors: readonly unknown[]

  constructor(errors: readonly unknown[]) {
    super('errors from a remote server')
    this.errors = errors
  }
}

/**
 * Answers a root field of a remote schema as JSON text.
 *
 * @throws RemoteErrors, and EngineError like `fetchFromRemote`
 */
export async function answerRemoteCall(context: RemoteContext, call: RemoteCall): Promise<string> {
  const { exchange, bindings, operationName } = context
  const { schema, root, field } = call
  const request = printRequest({ root, fields: [field], name: operationName }, bindings)
  const { data, errors } = await context.runLimited(() =>
    fetchFromRemote(schema, request, exchange),
  )
  const isAnswered = context.dataFirst && data !== null
  if (errors.length > 0 && !isAnswered) throw new RemoteErrors(errors.map(withSortedKeys))
  const slots: Slot[] = []
  const value = isRecord(data) && Object.hasOwn(data, field.as) ? data[field.as] : null
  const { customization } = schema
  const result = field.below
    ? shapeResponse(value, field.below.response, { customization, slots })
    : value
  await fillSlots(context, slots)
  return JSON.stringify(result ?? null)
}

/** Adds the results of remote relationships to the database's result. */
export async function joinRemote(
  context: RemoteContext,
  text: string,
  tree: JoinTree,
): Promise<string> {
  const slots: Slot[] = []
  const value = withSlots(parseScientificJson(text), tree, context.joins, slots)
  await fillSlots(context, slots)
  return JSON.stringify(value)
}

/** Sorts the keys of objects, as Hasura does for errors. */
function withSortedKeys(value: unknown): unknown {
  if (isList(value)) return value.map(withSortedKeys)
  if (!isRecord(value)) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, member]) => [key, withSortedKeys(member)]))
}

import { joinsOfShape } from '../../compiler/plan/root/join-tree.ts'
import type { RemoteJoin } from '../../compiler/plan/sent-field.ts'
import { EngineError } from '../../errors.ts'
import { isRecord } from '../../json/record.ts'
import { parseScientificJson } from '../../json/scientific.ts'
import { readRelatedRows } from '../database/related-rows.ts'
import { joinAlias, joinedFields, joinedValue } from './joined-field.ts'
import { printRequest } from './print-request.ts'
import type { RemoteContext } from './remote-context.ts'
import { fetchFromRemote } from './remote-reply.ts'
import { type Slot, shapeResponse, withSlots } from './slot.ts'

/**
 * Fills the slots, then the slots inside the results. Sends one request or statement for each relationship, for all objects together.
 * A slot with null among its join values stays null.
 */
export async function fillSlots(context: RemoteContext, slots: readonly Slot[]): Promise<void> {
  const completeSlots = slots.filter(({ left }) => left.every((value) => value != null))
  const groups = [...Map.groupBy(completeSlots, ({ join }) => join)]
  const nestedByGroup = await Promise.all(groups.map(([join, of]) => fillGroup(context, join, of)))
  const nestedSlots = nestedByGroup.flat()
  if (nestedSlots.length > 0) await fillSlots(context, nestedSlots)
}

/** Fills the slots of a relationship. Returns the slots inside its results. */
async function fillGroup(
  context: RemoteContext,
  join: RemoteJoin,
  slots: readonly Slot[],
): Promise<Slot[]> {
  const slotsByValues = [...Map.groupBy(slots, ({ left }) => JSON.stringify(left)).values()]
  const joinValues = slotsByValues.map(([slot]) => slot?.left ?? [])
  const nestedSlots: Slot[] = []
  const values =
    join.kind === 'rows'
      ? await readRows(context, join, joinValues, nestedSlots)
      : await requestFields(context, join, joinValues, nestedSlots)
  for (const [i, equalSlots] of slotsByValues.entries())
    for (const slot of equalSlots) slot.value = values[i] ?? null
  return nestedSlots
}

type JoinValues = readonly (readonly unknown[])[]

async function readRows(
  { connectionsTo, bindings, joins, runLimited }: RemoteContext,
  { leftFields, rows, shape }: Extract<RemoteJoin, { kind: 'rows' }>,
  joinValues: JoinValues,
  nestedSlots: Slot[],
): Promise<unknown[]> {
  const owners = joinValues.map((values) =>
    Object.fromEntries(leftFields.map((name, i) => [name, values[i] ?? null])),
  )
  const related = { mapping: rows.mapping, shape }
  const { pool } = connectionsTo(rows.remote.source.name)
  const texts = await runLimited(() => readRelatedRows(pool, related, owners, bindings))
  const tree = joinsOfShape(shape)
  return texts.map((text) =>
    text === null ? null : withSlots(parseScientificJson(text), tree, joins, nestedSlots),
  )
}

async function requestFields(
  { exchange, bindings, operationName, runLimited }: RemoteContext,
  join: Extract<RemoteJoin, { kind: 'field' }>,
  joinValues: JoinValues,
  nestedSlots: Slot[],
): Promise<unknown[]> {
  const { schema, field } = join
  const fields = joinedFields(join, joinValues, bindings)
  const operation = { root: 'query', fields, name: operationName } as const
  const request = printRequest(operation, bindings)
  const { data, errors } = await runLimited(() => fetchFromRemote(schema, request, exchange))
  if (errors.length > 0)
    throw new EngineError('unexpected', 'Errors from remote server', { internal: { errors } })
  const { customization } = schema
  const answers: Readonly<Record<string, unknown>> = isRecord(data) ? data : {}
  return joinValues.map((_, i) => {
    const value = joinedValue(join, answers[joinAlias(i)])
    return field.below
      ? shapeResponse(value, field.below.response, { customization, slots: nestedSlots })
      : value
  })
}

import { Digits } from '../../../../lib/runtime/exact-json.ts'
import type { Customization } from '../../compiler/model/customization.ts'
import type { JoinTree } from '../../compiler/plan/root/join-tree.ts'
import type { RemoteJoin, ResponseItem, ResponseShape } from '../../compiler/plan/sent-field.ts'
import { isList, isRecord } from '../../json/record.ts'

/** The place of a relationship in a result, to be filled with its rows or remote fields. */
export class Slot {
  readonly join: RemoteJoin
  /** The values that the relationship joins on, in the order of its fields. */
  readonly left: readonly unknown[]
  value: unknown = null

  constructor(join: RemoteJoin, left: readonly unknown[]) {
    this.join = join
    this.left = left
  }

  toJSON(): unknown {
    return this.value instanceof Digits ? this.value.toJSON() : this.value
  }
}

/** Puts a slot in each place of a remote relationship in a result of the database. Adds the slots to `slots`. */
export function withSlots(
  value: unknown,
  tree: JoinTree,
  joins: readonly RemoteJoin[],
  slots: Slot[],
): unknown {
  if (isList(value)) return value.map((item) => withSlots(item, tree, joins, slots))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([key, member]) => {
    const subtree = tree.get(key)
    if (subtree === undefined) return [key, member]
    if (typeof subtree !== 'number') return [key, withSlots(member, subtree, joins, slots)]
    const join = joins[subtree]
    return [key, join ? newSlot(join, isList(member) ? member : [null], slots) : null]
  })
  return Object.fromEntries(entries)
}

function newSlot(join: RemoteJoin, left: readonly unknown[], slots: Slot[]): Slot {
  const slot = new Slot(join, left)
  slots.push(slot)
  return slot
}

type SlotContext = { customization: Customization; slots: Slot[] }

/** Returns the part of a remote server's response that the client gets, with slots and customized type names. */
export function shapeResponse(value: unknown, shape: ResponseShape, context: SlotContext): unknown {
  if (isList(value)) return value.map((item) => shapeResponse(item, shape, context))
  if (!isRecord(value)) return value
  if (shape.kind === 'object') return shapeObject(value, shape.items, context)
  if (shape.typenameAs === null) return untypedObject(value, shape, context)
  const items = shape.byType.get(String(value[shape.typenameAs]))
  return items ? shapeObject(value, items, context) : null
}

function shapeObject(
  value: Readonly<Record<string, unknown>>,
  items: readonly ResponseItem[],
  context: SlotContext,
): object {
  return Object.fromEntries(items.map((item) => [item.as, shapeItem(value, item, context)]))
}

/** Returns an object of unknown type, in the order of the response. The type is not needed, because a key means the same in all types. */
function untypedObject(
  value: Readonly<Record<string, unknown>>,
  { byType }: Extract<ResponseShape, { kind: 'abstract' }>,
  context: SlotContext,
): object {
  const items = new Map([...byType.values()].flat().map((item) => [item.as, item]))
  const entries = Object.keys(value).flatMap((key) => {
    const item = items.get(key)
    return item ? [[key, shapeItem(value, item, context)]] : []
  })
  return Object.fromEntries(entries)
}

function shapeItem(
  value: Readonly<Record<string, unknown>>,
  item: ResponseItem,
  context: SlotContext,
): unknown {
  if (item.kind === 'join') {
    const left = item.leftFields.map((key) => ownMember(value, key))
    return newSlot(item.join, left, context.slots)
  }
  const member = ownMember(value, item.as)
  if (item.kind === 'typename')
    return typeof member === 'string' ? context.customization.typeName(member) : member
  return item.below ? shapeResponse(member, item.below, context) : member
}

function ownMember(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : null
}

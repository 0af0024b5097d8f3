import { isNamedType } from 'graphql'
import type { Steps } from '../../../compiler/plan/steps.ts'
import { isList } from '../../../json/record.ts'
import type { PrintFormat, SelectedField, Selection } from './select-fields.ts'

/** Counts the printed characters, and reports when a slice of the work is over. */
export type PrintProgress = {
  /** @throws query-too-costly if the result is larger than the caller's limit */
  count(characters: number): void
  isSliceOver(): boolean
}

/** Prints a field as JSON text, without its key. Yields whenever a slice of the work is over. */
export function* printField(
  { print, resolve }: SelectedField,
  source: unknown,
  progress: PrintProgress,
): Steps<string> {
  return yield* printLong(print, resolve(source), progress)
}

function* printLong(print: PrintFormat, value: unknown, progress: PrintProgress): Steps<string> {
  if (print.kind === 'list' && isList(value)) {
    const items: string[] = []
    for (const item of value) {
      if (progress.isSliceOver()) yield
      items.push(yield* printLong(print.of, item, progress))
    }
    return `[${items.join(',')}]`
  }
  if (print.kind !== 'object' || !print.below.isLong || isAbsent(value))
    return printShort(print, value, progress)
  return yield* printLongObject(print.below, value, progress)
}

function* printLongObject(
  { fields, texts }: Selection,
  value: unknown,
  progress: PrintProgress,
): Steps<string> {
  const cached = texts.get(value)
  if (cached !== undefined) return countText(cached, progress)
  const members: string[] = []
  for (const field of fields) {
    progress.count(field.key.length)
    const text = field.isLong
      ? yield* printField(field, value, progress)
      : printShort(field.print, field.resolve(value), progress)
    members.push(field.key + text)
  }
  return cacheText(texts, value, `{${members.join(',')}}`)
}

/** Prints a value without nested lists. */
function printShort(print: PrintFormat, value: unknown, progress: PrintProgress): string {
  if (isAbsent(value)) return countText('null', progress)
  if (print.kind === 'leaf') return countText(JSON.stringify(print.type.serialize(value)), progress)
  if (print.kind === 'list') throw new TypeError('a list field of introspection must be a list')
  const { fields, texts } = print.below
  const cached = texts.get(value)
  if (cached !== undefined) return countText(cached, progress)
  const members = fields.map((field) => {
    progress.count(field.key.length)
    return field.key + printShort(field.print, field.resolve(value), progress)
  })
  return cacheText(texts, value, `{${members.join(',')}}`)
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

function countText(text: string, progress: PrintProgress): string {
  progress.count(text.length)
  return text
}

/** Caches the text of a type, because many fields have the same type. */
function cacheText(texts: Selection['texts'], value: unknown, text: string): string {
  if (isNamedType(value)) texts.set(value, text)
  return text
}

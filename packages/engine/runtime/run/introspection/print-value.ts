import { isNamedType } from 'graphql'
import type { Steps } from '../../../compiler/plan/steps.ts'
import { isList } from '../../../json/record.ts'
import type { Printing, SelectedField, Selection } from './select-fields.ts'

/** Counts what is printed, and says when a slice of the work has taken its time. */
export type PrintProgress = {
  /** @throws query-too-costly when the answer is larger than the caller may have */
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

function* printLong(print: Printing, value: unknown, progress: PrintProgress): Steps<string> {
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
  const known = texts.get(value)
  if (known !== undefined) return counted(known, progress)
  const members: string[] = []
  for (const field of fields) {
    progress.count(field.key.length)
    const text = field.isLong
      ? yield* printField(field, value, progress)
      : printShort(field.print, field.resolve(value), progress)
    members.push(field.key + text)
  }
  return remembered(texts, value, `{${members.join(',')}}`)
}

/** Prints a value that has no list below it. */
function printShort(print: Printing, value: unknown, progress: PrintProgress): string {
  if (isAbsent(value)) return counted('null', progress)
  if (print.kind === 'leaf') return counted(JSON.stringify(print.type.serialize(value)), progress)
  if (print.kind === 'list') throw new TypeError('a list of introspection is no list')
  const { fields, texts } = print.below
  const known = texts.get(value)
  if (known !== undefined) return counted(known, progress)
  const members = fields.map((field) => {
    progress.count(field.key.length)
    return field.key + printShort(field.print, field.resolve(value), progress)
  })
  return remembered(texts, value, `{${members.join(',')}}`)
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

function counted(text: string, progress: PrintProgress): string {
  progress.count(text.length)
  return text
}

/** Keeps the text of a type, since many fields have the same type. */
function remembered(texts: Selection['texts'], value: unknown, text: string): string {
  if (isNamedType(value)) texts.set(value, text)
  return text
}

import { EngineError } from '../errors.ts'
import { isRecord } from '../json/record.ts'
import { shortKey } from '../postgres/catalog.ts'
import type { DocumentEdit } from './document.ts'
import { hasEntry } from './entries.ts'
import { keyedByQualifiedName } from './keys.ts'
import { parseArgs } from './parse-args.ts'
import { Args, trackedFunctions, trackedTables } from './places.ts'

/** Makes an edit also accept a table's or function's name in the place of its arguments. */
export function acceptBareName(kind: 'table' | 'function', edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const isComplete = isRecord(args) && kind in args
    edit(document, isComplete ? args : { [kind]: args })
  }
}

/** Refuses to track a table that has the name of a tracked function. @throws not-supported */
export const refuseFunctionName: DocumentEdit = (document, args) => {
  const key = keyedByQualifiedName('table')(parseArgs(Args, args))
  if (hasEntry(trackedFunctions(document, args), key)) throw takenError('function', key)
}

/** Refuses to track a function that has the name of a tracked table. @throws not-supported */
export const refuseTableName: DocumentEdit = (document, args) => {
  const key = keyedByQualifiedName('function')(parseArgs(Args, args))
  if (hasEntry(trackedTables(document, args), key)) throw takenError('table', key)
}

function takenError(kind: string, key: string): EngineError {
  const message = `${kind} with name "${shortKey(key)}" already exists`
  return new EngineError('not-supported', message, { path: '$.args' })
}

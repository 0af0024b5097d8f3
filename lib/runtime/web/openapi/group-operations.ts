import { OPTIONAL_END } from '../route.ts'
import type { Described } from './responses.ts'

/** An operation of the document; routes that only the form of an id tells apart share one. */
export type GroupedOperation = { method: string; path: string; routes: readonly Described[] }

/** Every operation, in the order of the table. */
export function groupOperations(routes: readonly Described[]): GroupedOperation[] {
  const found = new Map<string, GroupedOperation>()
  for (const route of routes)
    for (const method of route.methods) {
      const path = route.path.replace(OPTIONAL_END, '/:$1').replaceAll(/:(\w+)/g, '{$1}')
      const shape = `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
      // The later route also takes the ids that the earlier one does not, so its name for the id
      // fits both.
      found.set(shape, { method, path, routes: [...(found.get(shape)?.routes ?? []), route] })
    }
  return [...found.values()]
}

import { OPTIONAL_END } from '../route.ts'
import type { RouteDescription } from './responses.ts'

/** An operation of the OpenAPI document. Routes that differ only in the form of an id share an operation. */
export type GroupedOperation = { method: string; path: string; routes: readonly RouteDescription[] }

/** Returns every operation, in the order of the table of routes. */
export function groupOperations(routes: readonly RouteDescription[]): GroupedOperation[] {
  const operations = new Map<string, GroupedOperation>()
  for (const route of routes)
    for (const method of route.methods) {
      const path = route.path.replace(OPTIONAL_END, '/:$1').replaceAll(/:(\w+)/g, '{$1}')
      const shape = `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
      // The path of the later route counts: it accepts all ids, so its parameter name fits both routes.
      operations.set(shape, {
        method,
        path,
        routes: [...(operations.get(shape)?.routes ?? []), route],
      })
    }
  return [...operations.values()]
}

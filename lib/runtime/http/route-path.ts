/**
 * Returns the path of a request's route as in the table of routes; null if no route matches. Checks the types, because
 * Express declares `request.route` as `any`.
 */
export function routePath(request: object): string | null {
  const route: unknown = Reflect.get(request, 'route')
  if (typeof route !== 'object' || route === null || !('path' in route)) return null
  return typeof route.path === 'string' ? route.path : null
}

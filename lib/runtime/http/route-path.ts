/**
 * The path of the route that Express has found for a request, as the table of routes writes it; null if it has found
 * none. Express declares `request.route` as `any`.
 */
export function routePath(request: object): string | null {
  const route: unknown = Reflect.get(request, 'route')
  if (typeof route !== 'object' || route === null || !('path' in route)) return null
  return typeof route.path === 'string' ? route.path : null
}

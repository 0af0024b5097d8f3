import type { Page, Route } from 'playwright-core'

/** Holds requests of a page until they are released. */
export type Held = {
  /** The GraphQL operations, or the addresses of other requests, in the order of their arrival. */
  names: string[]
  /** Lets the held requests and all later ones through. */
  release(): Promise<void>
}

/** Holds the requests whose GraphQL operation or address matches. */
export async function holdRequests(page: Page, pattern: RegExp): Promise<Held> {
  const names: string[] = []
  const released = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    const name = nameOf(route)
    if (!pattern.test(name)) return route.fallback()
    names.push(name)
    // The request reaches the platform now; only the response is late.
    const response = await route.fetch().catch(() => null)
    await released.promise
    // The page may have cancelled the request.
    await (response ? route.fulfill({ response }) : route.abort()).catch(() => {})
  }
  await page.route('**/*', hold)
  return {
    names,
    async release() {
      released.resolve()
      await page.unroute('**/*', hold)
    },
  }
}

function nameOf(route: Route): string {
  const request = route.request()
  const { operationName = '' } = request.url().endsWith('/v1/graphql')
    ? (request.postDataJSON() ?? {})
    : {}
  return operationName || request.url()
}

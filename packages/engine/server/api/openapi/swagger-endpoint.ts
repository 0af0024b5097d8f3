import { jsonReply } from '../../http/endpoint.ts'
import { adminEndpoint } from '../admin-endpoint.ts'

/**
 * GET /api/swagger/json: returns the OpenAPI document of the REST endpoints.
 *
 * @see https://hasura.io/docs/2.0/restified/export-oas/
 */
export const swaggerEndpoint = adminEndpoint(async ({ session, services: { engine } }) => {
  const cache = engine.schemaCache()
  const schema = await cache.role(session).introspection()
  // The module is loaded on the first request, because few clients need it, and it loads all of graphql-js.
  const { describeRestEndpoints } = await import('./describe-rest-endpoints.ts')
  return jsonReply(JSON.stringify(describeRestEndpoints(cache.model.restEndpoints, schema)))
})

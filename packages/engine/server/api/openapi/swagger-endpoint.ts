import { jsonReply } from '../../http/endpoint.ts'
import { adminEndpoint } from '../admin-endpoint.ts'

/**
 * GET /api/swagger/json: the REST endpoints as OpenAPI describes them.
 *
 * @see https://hasura.io/docs/2.0/restified/export-oas/
 */
export const swaggerEndpoint = adminEndpoint(async ({ session, services: { engine } }) => {
  const cache = engine.schemaCache()
  const schema = await cache.role(session).introspection()
  // Only loaded when somebody asks: few do, and it needs the whole of graphql-js.
  const { describeRestEndpoints } = await import('./describe-rest-endpoints.ts')
  return jsonReply(JSON.stringify(describeRestEndpoints(cache.model.restEndpoints, schema)))
})

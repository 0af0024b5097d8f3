import { VERSION } from '../../config/version.ts'
import { type Endpoint, jsonReply } from './endpoint.ts'

/** GET /v1/version: returns the version of Hasura that the engine is compatible with. */
export const versionEndpoint: Endpoint = async () =>
  jsonReply(JSON.stringify({ server_type: 'ce', version: VERSION }))

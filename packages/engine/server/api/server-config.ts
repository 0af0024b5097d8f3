import type { Config } from '../../config/config.ts'
import { VERSION } from '../../config/version.ts'
import { jsonReply } from '../http/endpoint.ts'
import { adminEndpoint } from './admin-endpoint.ts'

/** GET /v1alpha1/config: returns the settings that the console and other tools need. */
export const serverConfig = adminEndpoint(async ({ services: { engine } }) =>
  jsonReply(JSON.stringify(publicConfig(engine.config))),
)

function publicConfig(config: Config) {
  return {
    version: VERSION,
    is_function_permissions_inferred: config.inferFunctionPermissions,
    is_remote_schema_permissions_enabled: config.enableRemoteSchemaPermissions,
    is_admin_secret_set: config.adminSecret !== null,
    is_auth_hook_set: config.authHook !== null,
    is_jwt_set: config.jwtSecret !== null || config.jwtSecrets !== null,
    jwt: [],
    is_allow_list_enabled: config.enableAllowlist,
    live_queries: {
      batch_size: config.liveQueriesBatchSize,
      refetch_delay: config.liveQueriesRefetchMs / 1000,
    },
    streaming_queries: {
      batch_size: config.streamsBatchSize,
      refetch_delay: config.streamsRefetchMs / 1000,
    },
    console_assets_dir: null,
    experimental_features: config.experimentalFeatures,
    is_prometheus_metrics_enabled: false,
    default_naming_convention: config.defaultNamingConvention,
    feature_flags: [],
  }
}

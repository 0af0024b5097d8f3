import { fromVariable, shareSetting, webAddressSetting, wordSetting } from './setting.ts'

/** The settings of the log and of traces. */
export const LOG_SETTINGS = {
  logLevel: fromVariable(
    'HASURA_GRAPHQL_LOG_LEVEL',
    'The lowest level of lines in the log: `debug`, `info`, `warn` or `error`',
    wordSetting(['debug', 'info', 'warn', 'error']).default('info'),
  ),
  tracesEndpoint: fromVariable(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'The OpenTelemetry collector (OTLP over HTTP) that gets traces. Its package also reads other variables `OTEL_EXPORTER_OTLP_…`',
    webAddressSetting().nullable().default(null),
  ),
  tracesShare: fromVariable(
    'OTEL_TRACES_SAMPLER_ARG',
    "The share of requests that are traced, from 0 to 1, unless the client's trace decides",
    shareSetting().default(1),
  ),
}

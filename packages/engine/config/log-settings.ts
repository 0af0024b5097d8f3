import { LOG_TYPES } from './log-types.ts'
import {
  fromVariable,
  shareSetting,
  webAddressSetting,
  wordListSetting,
  wordSetting,
} from './setting.ts'

/** The settings of the log and of traces. */
export const LOG_SETTINGS = {
  logLevel: fromVariable(
    'HASURA_GRAPHQL_LOG_LEVEL',
    'The lowest level of lines in the log: `debug`, `info`, `warn` or `error`',
    wordSetting(['debug', 'info', 'warn', 'error']).default('info'),
  ),
  enabledLogTypes: fromVariable(
    'HASURA_GRAPHQL_ENABLED_LOG_TYPES',
    'The types of lines in the log, separated by commas; [logs.md](logs.md) describes them',
    wordListSetting(LOG_TYPES).default([
      'startup',
      'http-log',
      'webhook-log',
      'websocket-log',
      'jwk-refresh-log',
    ]),
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

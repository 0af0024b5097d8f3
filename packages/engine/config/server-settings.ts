import { z } from 'zod'
import {
  booleanSetting,
  boundSetting,
  countSetting,
  fromVariable,
  textListSetting,
  wordListSetting,
} from './setting.ts'

/** The settings of the HTTP server. */
export const SERVER_SETTINGS = {
  host: fromVariable(
    'HASURA_GRAPHQL_SERVER_HOST',
    'The address to listen on; `*` means all addresses of this machine',
    z.string().default('*'),
  ),
  port: fromVariable(
    'HASURA_GRAPHQL_SERVER_PORT',
    'The port to listen on; 0 lets the operating system choose',
    countSetting(65_535).default(8080),
  ),
  enabledApis: fromVariable(
    'HASURA_GRAPHQL_ENABLED_APIS',
    'The APIs that the engine serves, separated by commas; `developer` and `metrics` are accepted, and serve nothing',
    wordListSetting(['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics']).default([
      'metadata',
      'graphql',
      'pgdump',
      'config',
    ]),
  ),
  enableConsole: fromVariable(
    'HASURA_GRAPHQL_ENABLE_CONSOLE',
    'Serve GraphiQL at `/console`',
    booleanSetting().default(false),
  ),
  corsDomain: fromVariable(
    'HASURA_GRAPHQL_CORS_DOMAIN',
    'Origins whose pages may call the engine, separated by commas, such as `https://*.example.com`; `*` means all',
    textListSetting().default(['*']),
  ),
  disableCors: fromVariable(
    'HASURA_GRAPHQL_DISABLE_CORS',
    'Send no CORS headers, and accept WebSockets from pages of every origin, but without their cookies',
    booleanSetting().default(false),
  ),
  preserve401Errors: fromVariable(
    'HASURA_GRAPHQL_PRESERVE_401_ERRORS',
    'Answer `/v1/graphql` with status 401 instead of 200 if the client cannot be authenticated',
    booleanSetting().default(false),
  ),
  maxBodyBytes: fromVariable(
    'ENGINE_MAX_BODY_BYTES',
    'Bytes of a request body, and of a WebSocket message',
    countSetting(2 ** 31 - 1).default(100 * 1024 * 1024),
  ),
  maxHeaderBytes: fromVariable(
    'HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH',
    'Bytes of the headers of a request',
    countSetting(2 ** 31 - 1).default(1024 * 1024),
  ),
  maxDocumentDepth: fromVariable(
    'ENGINE_MAX_DOCUMENT_DEPTH',
    'How deep selections may be nested, for every request',
    boundSetting(10_000),
  ),
  // Hasura has no such limit. Without a limit, a document in which each fragment uses the next fragment twice would
  // expand until the memory is full.
  maxDocumentFields: fromVariable(
    'ENGINE_MAX_DOCUMENT_FIELDS',
    'Fields of a document, including fields of fragments, for every request',
    countSetting(10_000_000).default(20_000),
  ),
  drainSeconds: fromVariable(
    'ENGINE_DRAIN_SECONDS',
    'Seconds after SIGTERM in which the engine still accepts requests on open connections',
    countSetting(60).default(0),
  ),
  shutdownSeconds: fromVariable(
    'HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT',
    "Seconds that a stop waits for running requests; Hasura's default is 60",
    countSetting(3600).default(10),
  ),
}

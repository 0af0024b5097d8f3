import { ACCESS_SETTINGS } from './access-settings.ts'
import { ANSWER_SETTINGS } from './answer-settings.ts'
import { CALLER_SETTINGS } from './caller-settings.ts'
import { DATABASE_SETTINGS } from './database-settings.ts'
import { JOB_SETTINGS } from './job-settings.ts'
import { LOG_SETTINGS } from './log-settings.ts'
import { SERVER_SETTINGS } from './server-settings.ts'
import { SOCKET_SETTINGS } from './socket-settings.ts'

/**
 * All settings of the engine, each with its environment variable. A variable that Hasura's server reads too has Hasura's
 * meaning and default, except one default: HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT is 10 seconds instead of 60.
 */
export const SETTINGS = {
  ...DATABASE_SETTINGS,
  ...SERVER_SETTINGS,
  ...ACCESS_SETTINGS,
  ...ANSWER_SETTINGS,
  ...CALLER_SETTINGS,
  ...SOCKET_SETTINGS,
  ...JOB_SETTINGS,
  ...LOG_SETTINGS,
}

/** The settings by topic, for the documentation. */
export const SETTINGS_BY_TOPIC = {
  'Databases and files': DATABASE_SETTINGS,
  Server: SERVER_SETTINGS,
  Access: ACCESS_SETTINGS,
  'Schema and responses': ANSWER_SETTINGS,
  'Limits of callers without the admin secret': CALLER_SETTINGS,
  'Subscriptions and WebSockets': SOCKET_SETTINGS,
  'Events, schedules and asynchronous actions': JOB_SETTINGS,
  'Logs and traces': LOG_SETTINGS,
}

import { booleanSetting, countSetting, fromVariable } from './setting.ts'

/** The settings of event triggers, scheduled events and asynchronous actions. */
export const JOB_SETTINGS = {
  disableEventing: fromVariable(
    'HASURA_GRAPHQL_DISABLE_EVENTING',
    'Leave events and asynchronous actions to other instances',
    booleanSetting().default(false),
  ),
  eventsHttpPoolSize: fromVariable(
    'HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE',
    'Webhooks called at a time, for each queue',
    countSetting(10_000).default(100),
  ),
  eventsFetchMs: fromVariable(
    'HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL',
    'Milliseconds between two looks for new events of triggers; 0 never looks',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  eventsFetchBatchSize: fromVariable(
    'HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE',
    'Events of triggers that an instance leases at a time',
    countSetting(10_000).default(100),
  ),
  asyncActionsFetchMs: fromVariable(
    'HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL',
    'Milliseconds between two looks for new asynchronous actions; 0 never looks',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  cronGenerateMs: fromVariable(
    'ENGINE_CRON_GENERATE_INTERVAL_MS',
    'Milliseconds between two preparations of triggers and future cron events; 0 prepares none',
    countSetting(2 ** 31 - 1).default(60_000),
  ),
  cronDeliverMs: fromVariable(
    'ENGINE_CRON_DELIVER_INTERVAL_MS',
    'Milliseconds between two looks for due cron events and one-off events; 0 never looks',
    countSetting(2 ** 31 - 1).default(10_000),
  ),
}

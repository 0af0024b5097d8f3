import { database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverReply,
  startReceiver,
} from './receiver.ts'
import { serveEngineHere } from './serve-here.ts'
import { type RunningEngine, type ServedEngine, startEngine } from './start-engine.ts'

/** An engine with actions and their handler. */
export type Actions = {
  /** A test that stops the engine assigns a new engine. */
  engine: ServedEngine
  handler: Receiver
  /** Returns the handler's reply to a request. A test may replace this function. */
  reply(request: ReceivedRequest): ReceiverReply
  /** Starts another engine as a process on the same database. */
  startEngineProcess(): Promise<RunningEngine>
  /** Resets the handler's reply to null and its list of requests. */
  reset(): void
  stop(): Promise<void>
}

/** Starts an engine and a handler on a new database. */
export async function startActions(): Promise<Actions> {
  const db = await database()
  const handler = await startReceiver((request) => actions.reply(request))
  const startEngineProcess = () => startEngine(db.url, environment(handler))
  const actions: Actions = {
    engine: await serveEngineHere(db.url, environment(handler)),
    handler,
    reply: replyNull,
    startEngineProcess,
    reset() {
      actions.reply = replyNull
      handler.received.length = 0
    },
    async stop() {
      await actions.engine.stop()
      await handler.close()
      await db.drop()
    },
  }
  await prepare(actions.engine)
  return actions
}

const replyNull = () => ({ status: 200, body: null })

function environment({ url }: Receiver) {
  return {
    HANDLER: url,
    TOKEN: 'from the environment',
    HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '50',
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  }
}

async function prepare(engine: ServedEngine) {
  await engine.post(
    '/v2/query',
    runSql(`create table person (id int primary key, name text, secret text);
    create table visit (id int primary key, person_id int, price numeric);
    insert into person values (1, 'Ada', 's'), (2, 'Bob', 't');
    insert into visit values (10, 1, 1.50), (11, 1, 123456789012345678.25)`),
  )
  const response = await engine.post('/v1/metadata', replace(METADATA))
  if (response.status !== 200) throw new Error(response.text)
}

const action = (name: string, definition: object, roles: string[] = ['user']) => ({
  name,
  definition: {
    kind: 'synchronous',
    handler: `{{HANDLER}}/${name}`,
    type: 'mutation',
    ...definition,
  },
  permissions: roles.map((role) => ({ role })),
})

const GREETING = [
  { name: 'who', type: 'Who!' },
  { name: 'loud', type: 'Boolean' },
]

const selectPermission = (columns: string[], filter: object = {}) => ({
  select_permissions: [{ role: 'user', permission: { columns, filter, allow_aggregations: true } }],
})

const PERSON = {
  name: 'person',
  type: 'object',
  remote_table: { schema: 'public', name: 'person' },
  field_mapping: { person_id: 'id' },
}

const METADATA = metadata(
  [
    table('person', selectPermission(['id', 'name'], { name: { _neq: 'Bob' } })),
    table('visit', selectPermission(['id', 'person_id', 'price'])),
  ],
  {
    actions: [
      action('greet', {
        arguments: GREETING,
        output_type: 'Greeting!',
        headers: [{ name: 'token', value_from_env: 'TOKEN' }],
      }),
      action('greet_all', {
        type: 'query',
        output_type: '[Greeting!]!',
        forward_client_headers: true,
        headers: [
          { name: 'X-Mine', value: 'configured' },
          { name: 'content-type', value: 'text/plain' },
        ],
      }),
      action('count', { output_type: 'Int!' }, []),
      action('slow', { output_type: 'Int!', timeout: 1 }),
      action('weigh', {
        type: 'query',
        arguments: [
          { name: 'price', type: 'Float' },
          { name: 'key', type: 'ID' },
          { name: 'at', type: 'timestamptz' },
          { name: 'unit', type: 'String!' },
        ],
        output_type: 'json',
      }),
      action('search', {
        type: 'query',
        arguments: [{ name: 'q', type: 'String' }],
        output_type: 'Int!',
        request_transform: {
          version: 2,
          method: 'GET',
          query_params: { q: '{{$body.input?.q}}' },
          body: { action: 'remove' },
        },
      }),
      action('ask', { type: undefined, kind: '', output_type: 'jsonb!' }),
      action('own', { type: 'query', output_type: 'Own' }),
      action('owns', { type: 'query', output_type: '[Own!]!' }),
      action('changed', {
        type: 'query',
        output_type: 'Greeting',
        response_transform: {
          version: 2,
          body: {
            action: 'transform',
            template:
              '{"text": "{{$body.words[1]}} of {{$session_variables[\'x-hasura-user-id\']}}, {{$response.status}}", "message": "{{$body.words[1]}} of {{$session_variables[\'x-hasura-user-id\']}}, {{$response.status}}", "person_id": {{size($body.words)}}}',
          },
        },
      }),
      action('echo', {
        type: 'query',
        output_type: 'json',
        request_transform: {
          version: 2,
          query_params: { a: '1' },
          body: { action: 'transform', template: '{"name": $body.action.name}' },
        },
        response_transform: {
          version: 2,
          body: {
            action: 'transform',
            template:
              '{"sent": $request.body.body.name, "session": getSessionVariable("x-hasura-user-id"), "from": $request.url.base_url, "before": $request.query_params.query_params}',
          },
        },
      }),
      action('choosy', {
        type: 'query',
        output_type: 'Int!',
        forward_client_headers: true,
        ignored_client_headers: ['X-Mine', 'cookie'],
      }),
      action('later', {
        kind: 'asynchronous',
        arguments: [{ name: 'who', type: 'Who!' }],
        output_type: 'Farewell!',
      }),
    ],
    custom_types: {
      scalars: [{ name: 'Own' }],
      input_objects: [
        {
          name: 'Who',
          fields: [
            { name: 'name', type: 'String!' },
            { name: 'age', type: 'Int' },
          ],
        },
      ],
      objects: [
        {
          name: 'Greeting',
          fields: [
            { name: 'text', type: 'String!' },
            { name: 'person_id', type: 'Int' },
            { name: 'more', type: 'More' },
          ],
          relationships: [
            PERSON,
            {
              name: 'visits',
              type: 'array',
              remote_table: { schema: 'public', name: 'visit' },
              field_mapping: { person_id: 'person_id' },
            },
          ],
        },
        {
          name: 'Farewell',
          fields: [
            { name: 'text', type: 'String!' },
            { name: 'person_id', type: 'Int' },
          ],
          relationships: [PERSON],
        },
        { name: 'More', fields: [{ name: 'n', type: 'Int!' }] },
      ],
    },
  },
)

/** The session of a user who can call every action except `count`. */
export const asUser = { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' }
/** The simplest call of an action. */
export const GREET = 'mutation { greet(who: {name: "Ada"}) { text } }'

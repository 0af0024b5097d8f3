import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { endEachDev, startDev } from '../support/cli/dev-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'
import { openSocket } from '../support/socket.ts'

let db: Database
let project: ProjectFolder

beforeEach(async () => {
  db = await database()
  project = createProjectFolder()
})
afterEach(async () => {
  await endEachDev()
  project.remove()
  await db.drop()
})

const dev = (types: string) =>
  startDev(project, ['--database-url', db.url], { HASURA_GRAPHQL_ENABLED_LOG_TYPES: types })

test('dev with http-log prints a readable line for each request', async () => {
  const { ask, output } = await dev('http-log')
  await ask('reader', '{ book { title } }')
  await ask('reader', '{ book { id } }')
  const lines = () =>
    output()
      .split('\n')
      .filter((line) => line.includes('POST'))
      .map((line) => line.replace(/\d+ ms$/, 'N ms'))
  await vi.waitFor(() => expect(lines()).toHaveLength(2))
  expect(lines()).toEqual([
    'POST /v1/graphql 200 reader N ms',
    'error: POST /v1/graphql 200 reader validation-failed at $.selectionSet.book.selectionSet.id N ms',
  ])
})

test('dev with websocket-log prints a readable line for each event', async () => {
  const { output } = await dev('websocket-log')
  const [, url = ''] = /GraphQL +(http:\S+)\/v1\/graphql/.exec(output()) ?? []
  const socket = await openSocket(url, 'graphql-transport-ws')
  const headers = { 'x-hasura-role': 'reader' }
  socket.send({ type: 'connection_init', payload: { headers } })
  await socket.next()
  socket.send({ type: 'subscribe', id: 'a', payload: { query: '{ book { title } }' } })
  await socket.next()
  socket.send({ type: 'subscribe', id: 'b', payload: { query: '{ book { id } }' } })
  while ((await socket.next()).id !== 'b');
  socket.ws.close()
  await socket.closed
  const lines = () =>
    output()
      .split('\n')
      .filter((line) => line.includes('WebSocket'))
  await vi.waitFor(() => expect(lines().at(-1)).toContain('closed'))
  expect(lines()).toEqual([
    'WebSocket accepted',
    'WebSocket operation a started reader',
    'WebSocket operation a completed reader',
    'WebSocket operation b started reader',
    'error: WebSocket operation b query_err reader validation-failed at $.selectionSet.book.selectionSet.id',
    'WebSocket closed reader',
  ])
})

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { startEngine } from '../../index.ts'
import { runEngineCommand } from '../support/cli/run-command.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

const DEPOTS = 'packages/engine/test/projects/depots'

const QUERY = `{depot(order_by: {id: asc}) {town reports_aggregate {aggregate {count}}}
  weather {report_aggregate {aggregate {count}}}}`

const ANSWER = {
  data: {
    depot: [
      { town: 'Hook Norton', reports_aggregate: { aggregate: { count: 1 } } },
      { town: 'Ware', reports_aggregate: { aggregate: { count: 2 } } },
    ],
    weather: { report_aggregate: { aggregate: { count: 3 } } },
  },
}

let fleet: Database
let weather: Database
let server: ServedEngine
let folder: string

beforeAll(async () => {
  ;[fleet, weather] = [await database(), await database()]
  server = await serveEngineHere(fleet.url, {
    PG_DATABASE_URL: fleet.url,
    WEATHER_DATABASE_URL: weather.url,
  })
  folder = temporaryFolder('depots-')
  cpSync(DEPOTS, folder, { recursive: true })
})
afterAll(async () => {
  await server?.stop()
  await fleet?.drop()
  await weather?.drop()
  rmSync(folder, { recursive: true, force: true })
})

function run(...words: string[]) {
  const connection = ['--endpoint', server.url, '--admin-secret', ADMIN_SECRET]
  return runEngineCommand([...words, '--project', folder, ...connection])
}

test('apply runs the migrations and seeds of each source, and status lists them by source', async () => {
  expect(await run('apply', '--seeds')).toMatchObject({ code: 0, complaints: '' })
  expect((await server.graphql(QUERY)).body).toEqual(ANSWER)
  expect((await run('status')).output).toBe(
    `Migrations of fleet: 1 applied, 0 to apply
  applied   1700000000000_init
Migrations of weather: 1 applied, 0 to apply
  applied   1700000000000_init
Metadata: same as the project`,
  )
})

test('export writes a folder for each source, equal to the project', async () => {
  rmSync(join(folder, 'metadata/databases'), { recursive: true })
  expect(await run('export')).toMatchObject({ code: 0, complaints: '' })
  expect((await run('diff')).output).toBe("The server's metadata is the project's.")
  const other = await runEngineCommand([
    'diff',
    '--project',
    DEPOTS,
    '--endpoint',
    server.url,
    '--admin-secret',
    ADMIN_SECRET,
  ])
  expect(other.output).toBe("The server's metadata is the project's.")
})

test('check creates and migrates a database for each source', async () => {
  expect(await runEngineCommand(['check', '--project', DEPOTS])).toEqual({
    code: 0,
    output: 'The metadata is consistent.',
    complaints: '',
  })
})

test('startEngine creates a copy of each database', async () => {
  const engine = await startEngine({ project: DEPOTS, databaseUrl: inject('postgresUrl') })
  try {
    expect(await engine.query('admin', QUERY)).toEqual(ANSWER)
    expect(await engine.sql("select to_regclass('report') as report")).toEqual([{ report: null }])
  } finally {
    await engine.close()
  }
})

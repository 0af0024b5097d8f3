import { cpSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { endEachDev, startDev } from '../support/cli/dev-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

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

const TABLES = 'metadata/databases/default/tables'
const BOOK = `${TABLES}/public_book.yaml`

const dev = () => startDev(project, ['--database-url', db.url])
const path = (name: string) => join(project.folder, name)

test('dev applies in-place changes of replaced files, and changes in new and replaced folders', async () => {
  const running = await dev()
  const permission = project.read(BOOK)
  const savePermission = async (column: string) => {
    await running.waitForOutput('applied in ', () =>
      writeFileSync(path(BOOK), permission.replace('[title]', `[${column}]`)),
    )
    const answer = await running.ask('reader', `{ book { ${column} } }`)
    expect(answer).toEqual({ data: { book: [] } })
  }
  await running.waitForOutput('applied in ', () => {
    writeFileSync(path('new.yaml'), permission)
    renameSync(path('new.yaml'), path(BOOK))
  })
  await savePermission('id')
  await running.waitForOutput('applied', () => {
    renameSync(path(TABLES), path('old'))
    cpSync(path('old'), path(TABLES), { recursive: true })
  })
  await savePermission('title')
  await running.waitForOutput('applied', () => {
    renameSync(path('metadata'), path('older'))
    cpSync(path('older'), path('metadata'), { recursive: true })
  })
  await savePermission('id')
  const migration = 'migrations/default/2_author/up.sql'
  await running.waitForOutput('applied in ', () => project.write(migration, 'select 1'))
  await running.waitForOutput('applied in ', () => writeFileSync(path(migration), 'select 1;'))
})

test('dev watches a folder of migrations that is created while dev runs', async () => {
  project.remove('migrations')
  await db.query('create table book (title text)')
  const running = await dev()
  await running.waitForOutput('applied in ', () =>
    project.write('migrations/default/1_books/up.sql', "insert into book values ('Emma')"),
  )
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('dev applies a change of a file that a link in the metadata names', async () => {
  const target = path('shared.yaml')
  renameSync(path(BOOK), target)
  symlinkSync(target, path(BOOK))
  const running = await dev()
  await running.waitForOutput('applied in ', () =>
    writeFileSync(target, readFileSync(target, 'utf8').replace('[title]', '[id]')),
  )
  expect(await running.ask('reader', '{ book { id } }')).toEqual({ data: { book: [] } })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasEnded } from '../../../lib/process/end-process.ts'
import { freePort } from '../../../lib/process/free-port.ts'
import { database } from '../../support/database.ts'
import { type ProjectFolder, projectFolder } from '../../support/engine/project-folder.ts'

let project: ProjectFolder
const children: ChildProcess[] = []

beforeEach(() => {
  project = projectFolder()
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
  project.remove()
})

/** Starts `dev` in the project's folder, and waits until it is ready. */
async function dev(words: readonly string[], variables: Record<string, string> = {}) {
  const program = new URL('../../../engine/command-line/command.ts', import.meta.url).pathname
  const port = String(await freePort())
  const child = spawn(process.execPath, [program, 'dev', '--port', port, ...words], {
    cwd: project.folder,
    env: { PATH: process.env.PATH, ...variables },
  })
  children.push(child)
  let told = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
  const tells = (text: string) =>
    vi.waitUntil(() => told.includes(text) || hasEnded(child), { timeout: 60_000 })
  await tells('Ready.')
  return {
    child,
    told: () => told,
    /** Waits until something is told that was not told before `act`. */
    async until(text: string, act: () => void) {
      told = ''
      act()
      await tells(text)
      expect(told).toContain(text)
    },
    async books() {
      const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hasura-role': 'reader' },
        body: JSON.stringify({ query: '{ book { title } }' }),
      })
      return response.json()
    },
  }
}

async function end(child: ChildProcess) {
  if (hasEnded(child)) return
  child.kill('SIGINT')
  await once(child, 'exit')
}

test('in a folder with a project it starts a database with its tables, seeds and metadata, and keeps it', async () => {
  const first = await dev([])
  expect(first.told()).toContain('seed books.sql applied')
  expect(await first.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  await end(first.child)
  expect(first.child.exitCode).toBe(0)
  expect(existsSync(join(project.folder, '.postgres-graphql-engine/postgres/postmaster.pid'))).toBe(
    false,
  )
  expect(project.read('.postgres-graphql-engine/.gitignore')).toBe('*\n')
  // Once more: the rows are there, and not twice.
  const second = await dev([])
  expect(await second.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('what changes in the project is applied, and a mistake changes nothing', async () => {
  const db = await database()
  const running = await dev(['--database-url', db.url])
  const file = 'metadata/databases/default/tables/public_book.yaml'
  const before = project.read(file)
  await running.until('not applied: ', () => project.write(file, '- ['))
  expect(await running.books()).toEqual({ data: { book: [] } })
  await running.until('applied in ', () => project.write(file, before.replace('[title]', '[id]')))
  expect(await running.books()).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  })
  await running.until('applied in ', () => {
    project.write(
      'migrations/default/2_isbn/up.sql',
      `insert into book (title) values ('Persuasion')`,
    )
    project.write(file, before)
  })
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Persuasion' }] } })
  await running.until('Not served', () =>
    project.write(file, before.replace('[title]', '[author]')),
  )
  await end(running.child)
  await db.drop()
})

test('the address of a database in .env counts only where one of ours is not started', async () => {
  project.write('.env', 'SHOP_DATABASE_URL=postgres://postgres@postgres:5432/elsewhere')
  const running = await dev([])
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('a port in use, and a database that is away, are sentences that say what to do', async () => {
  const db = await database()
  const first = await dev(['--database-url', db.url])
  const port = /127\.0\.0\.1:(\d+)/.exec(first.told())?.[1] ?? ''
  const second = await dev(['--database-url', db.url, '--port', port])
  expect(second.told()).toMatch(/EADDRINUSE.* Another port is chosen by --port PORT\./)
  expect(second.child.exitCode).toBe(1)
  await end(first.child)
  await db.drop()
})

test('after a seed that fails the next start applies all of them, and none of them twice', async () => {
  project.write('seeds/default/z_wrong.sql', 'insert into author values (1)')
  const failed = await dev([])
  expect(failed.told()).toMatch(/seed z_wrong\.sql: relation "author" does not exist/)
  expect(failed.child.exitCode).toBe(1)
  project.remove('seeds/default/z_wrong.sql')
  const mended = await dev([])
  expect(await mended.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('a folder for data may have other files, which --fresh leaves, and belongs to one at a time', async () => {
  project.write('data/.gitignore', 'mine')
  project.write('data/notes.txt', 'mine')
  const first = await dev(['--data', 'data'])
  const second = await dev(['--data', 'data', '--fresh'])
  expect(second.told()).toContain(`is in use by process ${first.child.pid}.`)
  expect(second.child.exitCode).toBe(1)
  expect(await first.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  await end(first.child)
  const fresh = await dev(['--data', 'data', '--fresh', '--no-seeds'])
  expect(await fresh.books()).toEqual({ data: { book: [] } })
  for (const file of ['.gitignore', 'notes.txt']) expect(project.read(`data/${file}`)).toBe('mine')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { readPostmasterPid } from '../../../../local/postgres/embedded-postgres.ts'
import { hasEnded } from '../../../../local/process/end-process.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { database } from '../../../../test/support/database.ts'
import { endProcessGroup } from '../../../../test/support/processes/process-group.ts'
import { endDev, endEachDev, startDev } from '../support/cli/dev-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder

beforeEach(() => {
  project = createProjectFolder()
})
afterEach(async () => {
  await endEachDev()
  project.remove()
})

const DATA = '.postgres-graphql-engine'

const dev = (words: readonly string[], variables?: Record<string, string>) =>
  startDev(project, words, variables)

test('dev starts a database with tables, seeds and metadata, and keeps it for the next start', async () => {
  const first = await dev([])
  expect(first.output()).toContain('seed books.sql applied')
  expect(await first.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  await endDev(first.child)
  expect(first.child.exitCode).toBe(0)
  expect(existsSync(join(project.folder, '.postgres-graphql-engine/postgres/postmaster.pid'))).toBe(
    false,
  )
  expect(project.read('.postgres-graphql-engine/.gitignore')).toBe('*\n')
  // The second start finds the rows and does not add them twice.
  const second = await dev([])
  expect(await second.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('dev applies changes of the project, and a mistake changes nothing', async () => {
  const db = await database()
  const running = await dev(['--database-url', db.url])
  const file = 'metadata/databases/default/tables/public_book.yaml'
  const before = project.read(file)
  await running.waitForOutput('not applied: ', () => project.write(file, '- ['))
  expect(await running.books()).toEqual({ data: { book: [] } })
  await running.waitForOutput('applied in ', () =>
    project.write(file, before.replace('[title]', '[id]')),
  )
  expect(await running.books()).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  })
  await running.waitForOutput('applied in ', () => {
    project.write(
      'migrations/default/2_isbn/up.sql',
      `insert into book (title) values ('Persuasion')`,
    )
    project.write(file, before)
  })
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Persuasion' }] } })
  await running.waitForOutput('Not served', () =>
    project.write(file, before.replace('[title]', '[author]')),
  )
  await endDev(running.child)
  await db.drop()
})

test('dev reports a port in use and how to choose another', async () => {
  const db = await database()
  const first = await dev(['--database-url', db.url])
  const port = /127\.0\.0\.1:(\d+)/.exec(first.output())?.[1] ?? ''
  const second = await dev(['--database-url', db.url, '--port', port])
  expect(second.output()).toMatch(/EADDRINUSE.* Choose another port with --port PORT, or another/)
  expect(second.child.exitCode).toBe(1)
  await endDev(first.child)
  await db.drop()
})

test('dev serves without rows after a failed seed, and the next start applies all seeds once', async () => {
  project.write('seeds/default/z_wrong.sql', 'insert into author values (1)')
  const failed = await dev([])
  expect(failed.output()).toContain(
    'seed z_wrong.sql: relation "author" does not exist. No seeds applied. The next start tries again; --no-seeds skips them.',
  )
  expect(await failed.books()).toEqual({ data: { book: [] } })
  await endDev(failed.child)
  project.remove('seeds/default/z_wrong.sql')
  const mended = await dev([])
  expect(await mended.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('dev says which package has a missing extension and how to name another server', async () => {
  project.write('migrations/default/2_place/up.sql', 'create extension "postgis"')
  const failed = await dev([])
  expect(failed.output()).toContain(
    'extension "postgis" is not available. Use a PostgreSQL that has it, with --database-url URL. Debian\'s package for PostgreSQL NN is postgresql-NN-postgis-3.',
  )
  expect(failed.child.exitCode).toBe(1)
})

test('dev keeps other files of its data folder, and a second dev on that folder is rejected', async () => {
  project.write('data/.gitignore', 'mine')
  project.write('data/notes.txt', 'mine')
  const first = await dev(['--data', 'data'])
  const second = await dev(['--data', 'data', '--fresh'])
  expect(second.output()).toContain(`is in use by process ${first.child.pid}.`)
  expect(second.child.exitCode).toBe(1)
  expect(await first.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  await endDev(first.child)
  const fresh = await dev(['--data', 'data', '--fresh', '--no-seeds'])
  expect(await fresh.books()).toEqual({ data: { book: [] } })
  for (const file of ['.gitignore', 'notes.txt']) expect(project.read(`data/${file}`)).toBe('mine')
})

test('dev ends when its PostgreSQL ends, and says that the data is kept', async () => {
  const running = await dev([])
  await running.waitForOutput('Its data is kept: start dev again.', () => {
    process.kill(readPostmasterPid(join(project.folder, DATA, 'postgres')), 'SIGQUIT')
  })
  if (!hasEnded(running.child)) await once(running.child, 'exit')
  expect(running.child.exitCode).toBe(1)
  const again = await dev([])
  expect(await again.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('Ctrl-C while dev creates its database exits with 0 and leaves no process', async () => {
  const program = new URL('../../cli/command.ts', import.meta.url).pathname
  const port = String(await freePort())
  const child = spawn(process.execPath, [program, 'dev', '--port', port], {
    cwd: project.folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => endProcessGroup(child))
  const complaints = text(child.stderr)
  const draft = join(project.folder, DATA, 'postgres.draft')
  await vi.waitUntil(() => existsSync(draft), { timeout: 60_000, interval: 5 })
  // A terminal sends the signal to the whole process group.
  process.kill(-requireValue(child.pid, 'the id of dev'), 'SIGINT')
  const [code] = await once(child, 'exit')
  expect({ code, complaints: await complaints }).toEqual({ code: 0, complaints: '' })
  await vi.waitUntil(() => processesIn(project.folder).length === 0, { timeout: 30_000 })
})

/** Finds the processes with a folder's name in their command line. */
function processesIn(folder: string): string[] {
  return globSync('/proc/[0-9]*/cmdline').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(folder)
    } catch {
      // The process has ended.
      return false
    }
  })
}

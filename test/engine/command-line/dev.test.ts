import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readPostmasterPid } from '../../../lib/postgres/embedded-postgres.ts'
import { present } from '../../../lib/present.ts'
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

const DATABASES = 'metadata/databases/databases.yaml'
const DATA = '.postgres-graphql-engine'

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
    ask,
    books: () => ask('reader', '{ book { title } }'),
  }

  async function ask(role: string, query: string) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-role': role },
      body: JSON.stringify({ query }),
    })
    return response.json()
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

test('each source of a project has a database of its own, with its tables and seeds', async () => {
  const depots = resolve('test/engine/projects/depots')
  const { told, ask } = await dev(['--project', depots, '--data', join(project.folder, 'data')])
  expect(told()).toMatch(/seed 1700000000001_depots.sql applied\nseed 1700000000001_reports.sql/)
  expect(await ask('driver', '{depot(limit: 1) {town} weather {report(limit: 1) {town}}}')).toEqual(
    {
      data: { depot: [{ town: 'Hook Norton' }], weather: { report: [{ town: 'Ware' }] } },
    },
  )
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

// As in the compose file of Hasura's own quick start, also by the name of the metadata's database.
test.each(['SHOP_DATABASE_URL', 'HASURA_GRAPHQL_METADATA_DATABASE_URL'])(
  'the address of a database in .env, in %s, counts only where one of ours is not started',
  async (variable) => {
    project.write('.env', `${variable}=postgres://postgres@postgres:5432/elsewhere`)
    project.write(DATABASES, project.read(DATABASES).replace('SHOP_DATABASE_URL', variable))
    const running = await dev([])
    expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  },
)

test('a port in use is a sentence that says what to do', async () => {
  const db = await database()
  const first = await dev(['--database-url', db.url])
  const port = /127\.0\.0\.1:(\d+)/.exec(first.told())?.[1] ?? ''
  const second = await dev(['--database-url', db.url, '--port', port])
  expect(second.told()).toMatch(/EADDRINUSE.* Another port is chosen by --port PORT, another/)
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

test('a database that the metadata writes the address of is not worked on, but one in its place', async () => {
  const address = 'database_url: postgres://me@db.example.com/shop'
  const databases = project.read(DATABASES)
  project.write(DATABASES, databases.replace(/database_url:\s+from_env: \w+/, address))
  const running = await dev([])
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  expect(running.told()).not.toContain('me@')
})

test('when its PostgreSQL ends, dev ends, and says that the data is kept', async () => {
  const running = await dev([])
  await running.until('PostgreSQL ended by itself. Its data is kept: start dev again.', () => {
    process.kill(readPostmasterPid(join(project.folder, DATA, 'postgres')), 'SIGQUIT')
  })
  if (!hasEnded(running.child)) await once(running.child, 'exit')
  expect(running.child.exitCode).toBe(1)
  const again = await dev([])
  expect(await again.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
})

test('Ctrl-C while it makes its database is no fault, and leaves no process', async () => {
  const program = new URL('../../../engine/command-line/command.ts', import.meta.url).pathname
  const port = String(await freePort())
  const child = spawn(process.execPath, [program, 'dev', '--port', port], {
    cwd: project.folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints = text(child.stderr)
  const draft = join(project.folder, DATA, 'postgres.draft')
  await vi.waitUntil(() => existsSync(draft), { timeout: 60_000, interval: 5 })
  // The terminal tells all that it has started.
  process.kill(-present(child.pid, 'the id of dev'), 'SIGINT')
  const [code] = await once(child, 'exit')
  expect({ code, complaints: await complaints }).toEqual({ code: 0, complaints: '' })
  await vi.waitUntil(() => processesIn(project.folder).length === 0, { timeout: 30_000 })
})

/** The processes of which a word names something in a folder. */
function processesIn(folder: string): string[] {
  return globSync('/proc/[0-9]*/cmdline').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(folder)
    } catch {
      // It has ended meanwhile.
      return false
    }
  })
}

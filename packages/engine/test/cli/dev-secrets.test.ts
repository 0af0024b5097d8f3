import { once } from 'node:events'
import { createServer } from 'node:http'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { endDev, endEachDev, startDev } from '../support/cli/dev-command.ts'
import { runEngineCommand } from '../support/cli/run-command.ts'
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts'

let project: ProjectFolder

beforeEach(() => {
  project = projectFolder()
})
afterEach(async () => {
  await endEachDev()
  project.remove()
})

const BOOK = 'metadata/databases/default/tables/public_book.yaml'

/** Lets an insert send variables to a webhook, as metadata of another author could. */
function sendVariables(webhook: string, header: string): void {
  const trigger = {
    name: 'new_book',
    definition: { enable_manual: false, insert: { columns: '*' } },
    webhook,
    headers: [{ name: 'x-sent', value_from_env: header }],
    retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
  }
  project.write(BOOK, `${project.read(BOOK)}\nevent_triggers: [${JSON.stringify(trigger)}]`)
}

describe('a variable of the shell', () => {
  test.each(['{{AWS_SECRET}}', 'http://127.0.0.1:9/'])(
    'is not read by metadata, and the error says how to pass it (webhook %s)',
    async (webhook) => {
      sendVariables(webhook, 'AWS_SECRET')
      const dev = await startDev(project, [], { AWS_SECRET: 'value of the shell' })
      expect(dev.told()).toMatch(/AWS_SECRET' not set|variables not found: AWS_SECRET/)
      expect(dev.told()).toContain(
        'Your shell has AWS_SECRET, which a project does not read. Pass it with --env AWS_SECRET, or write it to .env.',
      )
      expect(dev.told()).not.toContain('value of the shell')
    },
  )

  test('is not read by check either', async () => {
    sendVariables('http://127.0.0.1:9/', 'AWS_SECRET')
    const variables = { AWS_SECRET: 'value of the shell' }
    const words = ['check', '--project', project.folder]
    const refused = await runEngineCommand(words, variables)
    expect(refused.code).toBe(1)
    expect(refused.complaints).toContain('Pass it with --env AWS_SECRET, or write it to .env.')
    const { code } = await runEngineCommand([...words, '--env', 'AWS_SECRET'], variables)
    expect(code).toBe(0)
  })

  test('is read when an option names it, or when it is one of the engine, or in .env', async () => {
    const received: (string | undefined)[] = []
    const receiver = createServer(({ url, headers }, response) => {
      received.push(url, String(headers['x-sent']))
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : ''
    project.write('.env', 'FROM_FILE=file')
    sendVariables(
      `http://127.0.0.1:${port}/{{FROM_FILE}}/{{ENGINE_MINE}}/{{HASURA_GRAPHQL_MINE}}/{{NAMED}}`,
      'SECOND',
    )
    const dev = await startDev(project, ['--env', 'NAMED', '--env', 'SECOND'], {
      ENGINE_MINE: 'engine',
      HASURA_GRAPHQL_MINE: 'hasura',
      NAMED: 'named',
      SECOND: 'second',
    })
    expect(dev.told()).not.toContain('Not served')
    const [url] = /postgres:\/\/\S+/.exec(dev.told()) ?? []
    const client = new Client(url)
    await client.connect()
    await client.query(`insert into book (title) values ('Persuasion')`)
    await client.end()
    await vi.waitUntil(() => received.length > 0, { timeout: 60_000 })
    expect(received.slice(0, 2)).toEqual(['/file/engine/hasura/named', 'second'])
    receiver.close()
  })

  test('that an option names, and that does not exist, is a sentence', async () => {
    const dev = await startDev(project, ['--env', 'MISSING'])
    expect(dev.told()).toContain('--env MISSING: your shell has no variable of this name.')
    expect(dev.child.exitCode).toBe(1)
  })

  test('gives a source its address only when an option names it', async () => {
    const db = await database()
    await db.query(`create table book (title text); insert into book values ('Emma, elsewhere')`)
    project.remove('migrations')
    const variables = { SHOP_DATABASE_URL: db.url }
    const there = await startDev(project, ['--env', 'SHOP_DATABASE_URL'], variables)
    expect(await there.books()).toEqual({ data: { book: [{ title: 'Emma, elsewhere' }] } })
    await endDev(there.child)
    const here = await startDev(project, ['--fresh', '--no-seeds'], variables)
    expect(here.told()).toContain('Pass it with --env SHOP_DATABASE_URL')
    expect(await here.books()).toMatchObject({ errors: [{}] })
    await endDev(here.child)
    await db.drop()
  })
})

describe('dev', () => {
  test.each(['0.0.0.0', '::', '', 'example.com'])(
    'does not listen on %j without an admin secret',
    async (host) => {
      const dev = await startDev(project, ['--host', host])
      expect(dev.told()).toContain('without an admin secret every caller is admin')
      expect(dev.child.exitCode).toBe(1)
    },
  )

  test('prints the address of a given database without its password', async () => {
    const db = await database()
    const { password } = new URL(db.url)
    const dev = await startDev(project, ['--database-url', db.url])
    const shown = Object.assign(new URL(db.url), { password: '' }).href
    expect(dev.told()).toContain(`PostgreSQL    ${shown}\n`)
    expect(dev.told()).not.toContain(`:${password}@`)
    await endDev(dev.child)
    await db.drop()
  })
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { endDev, endEachDev, startDev } from '../support/cli/dev-command.ts'
import { runEngineCommand } from '../support/cli/run-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder

beforeEach(() => {
  project = createProjectFolder()
})
afterEach(async () => {
  await endEachDev()
  project.remove()
})

const BOOK = 'metadata/databases/default/tables/public_book.yaml'

/** Adds an event trigger that sends variables to a webhook, as foreign metadata could. */
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

describe('dev and check keep most variables of the shell from metadata', () => {
  test.each(['{{AWS_SECRET}}', 'http://127.0.0.1:9/'])(
    'metadata does not read a variable of the shell, and the error says how to pass it (webhook %s)',
    async (webhook) => {
      sendVariables(webhook, 'AWS_SECRET')
      const dev = await startDev(project, [], { AWS_SECRET: 'value of the shell' })
      expect(dev.output()).toMatch(/AWS_SECRET' not set|variables not found: AWS_SECRET/)
      expect(dev.output()).toContain(
        'Your shell has AWS_SECRET, but projects cannot read it. Pass it with --env AWS_SECRET, or write it to .env.',
      )
      expect(dev.output()).not.toContain('value of the shell')
    },
  )

  test('check does not read a variable of the shell unless --env names it', async () => {
    sendVariables('http://127.0.0.1:9/', 'AWS_SECRET')
    const variables = { AWS_SECRET: 'value of the shell' }
    const words = ['check', '--project', project.folder]
    const failure = await runEngineCommand(words, variables)
    expect(failure.code).toBe(1)
    expect(failure.complaints).toContain('Pass it with --env AWS_SECRET, or write it to .env.')
    const { code } = await runEngineCommand([...words, '--env', 'AWS_SECRET'], variables)
    expect(code).toBe(0)
  })

  test('dev reads variables that --env names, that begin with HASURA_GRAPHQL_ or ENGINE_, or that are in .env', async () => {
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
    expect(dev.output()).not.toContain('Not served')
    const [url] = /postgres:\/\/\S+/.exec(dev.output()) ?? []
    const client = new Client(url)
    await client.connect()
    await client.query(`insert into book (title) values ('Persuasion')`)
    await client.end()
    await vi.waitUntil(() => received.length > 0, { timeout: 60_000 })
    expect(received.slice(0, 2)).toEqual(['/file/engine/hasura/named', 'second'])
    receiver.close()
  })

  test('dev reports a variable of --env that does not exist', async () => {
    const dev = await startDev(project, ['--env', 'MISSING'])
    expect(dev.output()).toContain('--env MISSING: your shell has no variable of this name.')
    expect(dev.child.exitCode).toBe(1)
  })

  test('dev connects a source to a database of the shell only if --env names the variable', async () => {
    const db = await database()
    await db.query(`create table book (title text); insert into book values ('Emma, elsewhere')`)
    project.remove('migrations')
    const variables = { SHOP_DATABASE_URL: db.url }
    const remoteDev = await startDev(project, ['--env', 'SHOP_DATABASE_URL'], variables)
    expect(await remoteDev.books()).toEqual({ data: { book: [{ title: 'Emma, elsewhere' }] } })
    await endDev(remoteDev.child)
    const localDev = await startDev(project, ['--fresh', '--no-seeds'], variables)
    expect(localDev.output()).toContain('Pass it with --env SHOP_DATABASE_URL')
    expect(await localDev.books()).toMatchObject({ errors: [{}] })
    await endDev(localDev.child)
    await db.drop()
  })
})

describe('dev keeps its database private', () => {
  test.each(['0.0.0.0', '::', '', 'example.com'])(
    'dev rejects --host %j without an admin secret',
    async (host) => {
      const dev = await startDev(project, ['--host', host])
      expect(dev.output()).toContain('without an admin secret every caller is admin')
      expect(dev.child.exitCode).toBe(1)
    },
  )

  test('dev prints the URL of the database from --database-url without its password', async () => {
    const db = await database()
    const { password } = new URL(db.url)
    const dev = await startDev(project, ['--database-url', db.url])
    const address = Object.assign(new URL(db.url), { password: '' }).href
    expect(dev.output()).toContain(`PostgreSQL    ${address}\n`)
    expect(dev.output()).not.toContain(`:${password}@`)
    await endDev(dev.child)
    await db.drop()
  })
})

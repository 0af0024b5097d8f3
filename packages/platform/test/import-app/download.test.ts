import { once } from 'node:events'
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { externalNullifier, formatField } from '../../../../lib/proof/encoding.ts'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { runImport, startImport } from '../support/run-import.ts'
import { serveWorld, type World } from '../support/world-source.ts'

const APP = 'app_0123456789abcdef0123456789abcdef'
const path = join(temporaryFolder('download-'), 'people.jsonl')
let world: World

/** Serves World's tables with an app, two actions, and as many people. */
async function serveApp(people: number, role: 'api_key' | 'user' = 'api_key') {
  world = await serveWorld(role)
  await world.db.query(`
    insert into app values ('${APP}', 'team_world', false), ('app_other', 'team_other', false);
    insert into app_metadata values
      ('m1', '${APP}', 'Draft', 'unverified', now()), ('m2', '${APP}', 'Votes', 'verified', now() - interval '1 day');
    insert into action (id, app_id, action, name, max_verifications, external_nullifier) values
      ('action_${'1'.repeat(32)}', '${APP}', 'vote', 'Vote', 1, '${formatField(externalNullifier(APP, 'vote'))}'),
      ('action_${'2'.repeat(32)}', '${APP}', 'claim', '', 3, ''),
      ('action_${'3'.repeat(32)}', 'app_other', 'vote', '', 1, '');
    insert into nullifier (action_id, nullifier_hash)
    select 'action_${'1'.repeat(32)}', '0x' || to_hex(n) from generate_series(1, ${people}) n;
    insert into nullifier (action_id, nullifier_hash, uses) values
      ('action_${'2'.repeat(32)}', '0xc100001', 2), ('action_${'3'.repeat(32)}', '0xd100001', 1)`)
}

beforeEach(() => rmSync(path, { force: true }))
afterEach(() => world.stop())

const ARGUMENTS = ['--app', APP, '--file', path, '--download', '--check', '--missing-uses', '1']
const downloadArguments = () => [...ARGUMENTS, '--world', world.url]
const runDownload = () => runImport(downloadArguments(), { WORLD_API_KEY: world.apiKey })

const readLines = () =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const hashes = () =>
  readLines()
    .filter(({ action, type }) => type === 'person' && action === 'vote')
    .map(({ nullifier_hash }) => nullifier_hash)

test('an API key downloads its app with the actions and all people, in operations that World allows', async () => {
  await serveApp(12_000)
  const { code, output, error } = await runDownload()
  expect([code, output]).toEqual([
    0,
    `action  people    uses\nvote    12,000  12,000\nclaim        1       1\n${path} has no faults.\n`,
  ])
  expect(error).toBe('"vote": 12,000 people downloaded.\n"claim": 1 people downloaded.\n')
  const lines = readLines()
  expect(lines.slice(0, 3)).toEqual([
    { type: 'app', id: APP, name: 'Votes', is_staging: false },
    {
      type: 'action',
      action: 'vote',
      id: `action_${'1'.repeat(32)}`,
      name: 'Vote',
      description: '',
      max_verifications: 1,
      status: 'active',
      protocol: '3.0',
      external_nullifier: formatField(externalNullifier(APP, 'vote')),
    },
    expect.objectContaining({ action: 'claim', max_verifications: 3 }),
  ])
  expect(new Set(hashes()).size).toBe(12_000)
  expect(lines.at(-2)).toMatchObject({ action: 'claim', nullifier_hash: '0xc100001' })
  expect(lines.at(-2)).not.toHaveProperty('uses')
  expect(lines.at(-1)).toEqual({ type: 'end', people: 12_001 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(Math.max(...world.front.depths)).toBe(2)
})

test('a caller that may read the uses of people downloads them', async () => {
  await serveApp(1, 'user')
  expect((await runDownload()).code).toBe(0)
  expect(readLines().at(-2)).toMatchObject({ action: 'claim', uses: 2 })
})

test('a download that was killed goes on where it ended, and a complete file is left alone', async () => {
  await serveApp(30_000)
  const { child, ended } = startImport(downloadArguments(), { WORLD_API_KEY: world.apiKey })
  world.front.onRequest = async (number) => {
    if (number === 5) child.kill('SIGKILL')
  }
  await ended
  const written = readLines().length
  expect(written).toBeLessThan(30_000)
  // An interruption may leave a part of a line.
  appendFileSync(path, '{"type":"person","action":"vo')
  world.front.requests = 0
  world.front.onRequest = async () => {}
  const { code, error } = await runDownload()
  expect(error).toContain('"vote": 30,000 people downloaded.')
  expect(code).toBe(0)
  expect(hashes()).toHaveLength(30_000)
  expect(new Set(hashes()).size).toBe(30_000)
  expect(world.front.requests).toBeLessThan(16)
  world.front.requests = 0
  expect((await runDownload()).error).toBe(`${path} is complete.\n`)
  expect(world.front.requests).toBe(0)
})

test('a service that is busy is asked again', async () => {
  await serveApp(10)
  world.front.failures = 3
  expect((await runDownload()).code).toBe(0)
  expect(hashes()).toHaveLength(10)
})

test('people who verify at World during the download are noticed, and nothing is imported', async () => {
  await serveApp(6_000)
  world.front.onRequest = async (number) => {
    if (number === 5)
      await world.db.query(
        `insert into nullifier (id, action_id, nullifier_hash) values ('nil_', 'action_${'1'.repeat(32)}', '0xfffff1')`,
      )
  }
  const { code, error } = await runDownload()
  expect(error).toContain(
    `World has more or fewer than the 6000 people of the action "vote" that were downloaded. Stop its verifications at World, delete ${path}, and download again.`,
  )
  expect(code).toBe(1)
  const check = await runImport(
    ARGUMENTS.filter((word) => word !== '--download'),
    {},
  )
  expect(check.error).toContain('the file has no line of the type end')
})

test('an action that was added at World during a download is noticed', async () => {
  await serveApp(10)
  await runDownload()
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 6).join('\n')}\n`)
  await world.db.query(`insert into action (app_id, action) values ('${APP}', 'new')`)
  expect((await runDownload()).error).toBe(
    `The app or its actions at World differ from the lines of ${path}. Delete the file, and download again.\n`,
  )
})

test("another team's app and a wrong key are refused by name, and the key is in no message", async () => {
  await serveApp(1)
  const other = downloadArguments().map((word) => (word === APP ? `app_${'9'.repeat(32)}` : word))
  expect((await runImport(other, { WORLD_API_KEY: world.apiKey })).error).toBe(
    `World's service has no app app_${'9'.repeat(32)} for this API key. Use a key of the app's team.\n`,
  )
  const wrong = await runImport(downloadArguments(), { WORLD_API_KEY: 'api_secret' })
  expect(wrong.code).toBe(1)
  expect(wrong.error).toMatch(/^World's GraphQL API at http:\/\/127\.0\.0\.1:\d+\/v1\/graphql: /)
  expect(wrong.error).not.toContain('api_secret')
})

test('a redirect is refused with its address, and the key is not sent there', async () => {
  await serveApp(1)
  const server = createServer((_request, response) => {
    response.writeHead(308, { location: world.url }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const moved = `http://127.0.0.1:${Object(server.address()).port}/v1/graphql`
  world.front.requests = 0
  const { code, error } = await runImport([...ARGUMENTS, '--world', moved], {
    WORLD_API_KEY: world.apiKey,
  })
  server.close()
  expect(error).toBe(
    `World's GraphQL API at ${moved}: the server redirects to ${world.url}; pass this address as an option instead\n`,
  )
  expect([code, world.front.requests]).toEqual([1, 0])
})

test('a file that another program has written is not continued', async () => {
  await serveApp(1)
  writeFileSync(path, '{"notes": 1}\n')
  expect((await runDownload()).error).toContain(
    'line 1: type: Invalid discriminator value. Expected',
  )
  expect(readFileSync(path, 'utf8')).toBe('{"notes": 1}\n')
})

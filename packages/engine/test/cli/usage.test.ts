import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../config/version.ts'
import manifest from '../../package.json' with { type: 'json' }
import { runEngineCommand } from '../support/cli/run-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder
beforeAll(() => {
  project = createProjectFolder()
})
afterAll(() => project.remove())

test('the command reports the version of its package', async () => {
  expect([PACKAGE_NAME, PACKAGE_VERSION]).toEqual([manifest.name, manifest.version])
  expect(await runEngineCommand(['--version'])).toMatchObject({ code: 0, output: manifest.version })
})

const COMMANDS = ['dev', 'serve', 'apply', 'export', 'status', 'diff', 'check']

test("--help lists every command, and each command's --help has its options and examples", async () => {
  const { output } = await runEngineCommand(['--help'])
  for (const command of COMMANDS) {
    expect(output).toContain(`\n  ${command} `)
    const help = await runEngineCommand([command, '--help'])
    expect(help).toMatchObject({ code: 0, complaints: '' })
    expect(help.output).toContain('--project FOLDER')
    expect(help.output).toContain(`Examples:\n  npx ${PACKAGE_NAME} ${command}`)
  }
})

test.each([
  [['deploy'], 'Unknown command "deploy".'],
  [['status', '--endpont', 'x'], "Unknown option '--endpont'"],
  [['status', 'now'], "Unexpected argument 'now'"],
  [['status', '--endpoint'], "Option '--endpoint <value>' argument missing"],
])('the invalid arguments %j are reported with the usage', async (words, complaint) => {
  const { code, output, complaints } = await runEngineCommand(words)
  expect({ code, output }).toEqual({ code: 2, output: '' })
  expect(complaints).toContain(complaint)
  expect(complaints).toContain('npx ')
})

test.each([
  [
    ['dev', '--port', 'http'],
    /^--port must be a number from 0 \(any free port\) to 65535; got http\.$/,
  ],
  [
    ['dev', '--port', '70000'],
    /^--port must be a number from 0 \(any free port\) to 65535; got 70000/,
  ],
  [['check', '--database-url', 'mysql://x'], /^--database-url must be the address of a Post/],
  [
    ['serve'],
    /^HASURA_GRAPHQL_DATABASE_URL is not set; it must be the address of a PostgreSQL database, such/,
  ],
  [
    ['status', '--endpoint', 'http://127.0.0.1:9'],
    /^Cannot reach .*choose another server with --endpoint URL\.$/,
  ],
  [
    ['dev', '--data', '/dev/null/x'],
    /^\/dev\/null\/x cannot be used: .*ENOTDIR.* with --data FOLDER, or use your own Po/,
  ],
])(
  'the arguments %j are rejected with a sentence that says what to do',
  async (words, complaint) => {
    const run = await runEngineCommand([...words, '--project', project.folder])
    expect(run).toMatchObject({ code: 1, complaints: expect.stringMatching(complaint) })
  },
)

test.each(['dev', 'check'])('%s reports why it cannot use a database', async (command) => {
  const url = new URL(inject('postgresUrl'))
  const hint =
    'Pass its address with --database-url URL. Without this option the command starts a PostgreSQL.'
  for (const [change, reason] of [
    [{ port: '9' }, /^Cannot reach the database: connect ECONNREFUSED 127\.0\.0\.1:9\. /],
    [
      { password: 'wrong' },
      /^The database rejects the connection: password authentication failed for user "\w+"\. /,
    ],
    [
      { pathname: '/none' },
      /^The database rejects the connection: database "none" does not exist\. /,
    ],
  ] as const) {
    const { href } = Object.assign(new URL(url), change)
    const words = [command, '--project', project.folder, '--database-url', href]
    const { code, complaints } = await runEngineCommand(words)
    expect(code).toBe(1)
    expect(complaints).toMatch(reason)
    expect(complaints).toContain(hint)
  }
})

test('check rejects a missing metadata folder', async () => {
  const other = createProjectFolder({ metadata_directory: 'meta' })
  const { code, complaints } = await runEngineCommand(['check', '--project', other.folder])
  expect(code).toBe(1)
  expect(complaints).toMatch(/the metadata folder .*meta is missing: .*metadata_directory/)
  other.remove()
})

test.each([
  [
    'a folder without a project',
    '/',
    {},
    /^\/ has no config\.yaml\. Run this in the folder of a Hasura project/,
  ],
  ['a missing file of variables', '', { '--envfile': 'none' }, /none \(--envfile\) does not exist/],
])('%s is rejected with a sentence that says what to do', async (_, folder, options, complaint) => {
  const words = Object.entries(options).flat()
  const { code, complaints } = await runEngineCommand([
    'status',
    '--project',
    folder || project.folder,
    ...words,
  ])
  expect(code).toBe(1)
  expect(complaints).toMatch(complaint)
})

test.each([
  ['version: 2', 'got 2'],
  ['version: "2"', 'got 2'],
  ['version: three', 'got three'],
  ['', 'it is missing'],
  ['- version: 3', 'it is missing'],
])('a config.yaml with only `%s` is rejected for its version', async (text, detail) => {
  const old = createProjectFolder()
  old.write('config.yaml', text)
  const { code, complaints } = await runEngineCommand(['status', '--project', old.folder])
  expect(code).toBe(1)
  expect(complaints).toContain(`config.yaml: version must be 3; ${detail}.`)
  expect(complaints).toContain('"hasura scripts update-project-v3"')
  old.remove()
})

test.each(['3', '"3"', '3.6'])('a config.yaml of version %s is accepted', async (version) => {
  const project = createProjectFolder()
  project.write('config.yaml', `version: ${version}\nendpoint: http://127.0.0.1:9\n`)
  const { complaints } = await runEngineCommand(['status', '--project', project.folder])
  expect(complaints).toContain('Cannot reach http://127.0.0.1:9/v1/metadata: ')
  project.remove()
})

test.each([
  [
    'endpoint: localhost',
    /^The endpoint must be an http or https address; got "localhost"\. .*config\.yaml\.$/,
  ],
  ['endpoint: $' + '{HERE}', /^The endpoint must be an http or https address; got "\$\{HERE\}"/],
  ['endpoint: {from_env: HERE}', /^The endpoint must be an http or https address; got ""/],
  [
    'endpoint: ftp://localhost',
    /^The endpoint must be an http or https address; got "ftp:\/\/localhost"/,
  ],
  ['metadata_directory: 7', /config\.yaml: .*expected string[\s\S]*at metadata_directory/],
  ['a: [', /config\.yaml: /],
])('a config.yaml with `%s` is rejected with the reason', async (line, complaint) => {
  const strange = createProjectFolder()
  strange.write('config.yaml', `version: 3\n${line}`)
  const { code, complaints } = await runEngineCommand(['status', '--project', strange.folder])
  expect(code).toBe(1)
  expect(complaints).toMatch(complaint)
  strange.remove()
})

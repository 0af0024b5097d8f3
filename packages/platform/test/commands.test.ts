import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockFolder } from '../../../local/process/lock-folder.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { startChain, type TestChain } from '../../../test/support/chain.ts'
import { START_CACHE } from '../../../test/support/start-cache.ts'

const COMMANDS = [
  'packages/platform/command.ts',
  'packages/platform/command.ts start',
  'packages/platform/command.ts demo',
  'packages/platform/command.ts simulate',
  'packages/platform/command.ts chain',
  'packages/platform/command.ts import-app',
  'scripts/postman.ts',
  'trials/bench/bench.ts',
  'trials/faults/faults.ts',
  'trials/fuzz/fuzz.ts',
  'trials/fuzz/pairing.ts',
]

const folder = temporaryFolder('commands-')
let anvil: TestChain

beforeAll(async () => {
  anvil = await startChain()
  await developmentKey()
  writeFileSync(join(folder, 'platform.json'), JSON.stringify({ rpcUrl: anvil.rpcUrl }))
})
afterAll(async () => {
  await anvil.stop()
  rmSync(folder, { recursive: true, force: true })
})

const run = (program: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [...START_CACHE, ...program.split(' '), ...args], {
    env: { ...process.env, DATA_FOLDER: folder },
  })

test.each(COMMANDS)('%s --help prints the usage and does nothing else', async (program) => {
  const { stdout, stderr } = await run(program, '--help')
  expect([stdout, stderr]).toEqual([expect.stringMatching(/npm (start|run)/), ''])
})

test('simulate and chain use the chain of the platform in the data folder', async () => {
  const { stdout } = await run(
    'packages/platform/command.ts chain',
    'publish-root',
    '2a',
    '--group',
    'staging',
  )
  expect(stdout).toContain('is now the latest root of staging')
  const simulation = await run(
    'packages/platform/command.ts simulate',
    '--app',
    'app_staging_1',
    '--action',
    'vote',
  )
  expect(JSON.parse(simulation.stdout)).toMatchObject({ action: 'vote' })
})

test('a command ends without an error when the reader of its output exits early', async () => {
  // The output is larger than a pipe's buffer, so the command still writes when its reader exits.
  const command = `"$0" ${START_CACHE.join(' ')} scripts/postman.ts | head -1`
  const child = spawn('bash', ['-c', command, process.execPath], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATA_FOLDER: join(folder, 'none') },
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect([out, err]).toEqual(['{\n', ''])
})

test('demo ends without an error when the reader of its output exits early', async () => {
  const data = join(folder, 'demo')
  mkdirSync(data)
  writeFileSync(join(data, 'platform.json'), JSON.stringify(demoFacts()))
  const lock = await lockFolder(data)
  const child = spawn(process.execPath, [...START_CACHE, 'packages/platform/command.ts', 'demo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATA_FOLDER: data },
  })
  const error = text(child.stderr)
  // Waits for the first output, and then stops reading.
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await error).toBe('')
  if ('stop' in lock) await lock.stop()
})

test('demo waits for a platform that is starting, and fails when a response has errors', async () => {
  const data = join(folder, 'starting')
  mkdirSync(data)
  const lock = await lockFolder(data)
  const child = spawn(process.execPath, [...START_CACHE, 'packages/platform/command.ts', 'demo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATA_FOLDER: data },
  })
  const [output, error] = [text(child.stdout), text(child.stderr)]
  await once(child.stdout, 'data')
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ errors: [{ message: 'no' }] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${Object(server.address()).port}`
  writeFileSync(join(data, 'platform.json'), JSON.stringify({ ...demoFacts(), baseUrl }))
  expect(await once(child, 'exit')).toEqual([1, null])
  server.close()
  expect(await output).toMatch(/^The platform in .* is starting\. Waiting until it is ready …\n/)
  expect(await error).toBe('\nStep failed: the response contains errors.\n')
  if ('stop' in lock) await lock.stop()
})

test('demo with an unknown option prints its usage', async () => {
  await expect(run('packages/platform/command.ts demo', '--ports', '4200')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Unknown option '--ports'.*\n\nUsage: npm run demo/s),
  })
})

test('demo says that a platform has stopped', async () => {
  const data = join(folder, 'stopped')
  mkdirSync(data)
  writeFileSync(join(data, 'platform.json'), JSON.stringify(demoFacts()))
  await expect(run('packages/platform/command.ts demo', '--data', data)).rejects.toMatchObject({
    code: 1,
    stderr: `\nThe platform is not running in ${data}. Start it with npm start.\n`,
  })
})

/** Returns the facts of a platform that has only a chain. */
function demoFacts() {
  const unreachableUrl = 'http://127.0.0.1:9'
  return {
    baseUrl: unreachableUrl,
    authUrl: unreachableUrl,
    demoUrl: unreachableUrl,
    simulatorUrl: unreachableUrl,
    hasura: { endpoint: unreachableUrl, adminSecret: 'x', consoleUrl: null },
    rpcUrl: anvil.rpcUrl,
    tokens: { usdce: '0x', wld: '0x' },
    verifiers: { production: '0x', staging: '0x' },
    mailUrl: unreachableUrl,
    databaseUrl: 'postgres://127.0.0.1:9/x',
    databaseFolder: null,
    appId: 'app_staging_1',
    apiKey: 'api_x',
    otherApiKey: 'api_y',
    clientSecret: 'x',
  }
}

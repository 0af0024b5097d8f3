import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { readFacts } from '../../packages/platform/facts.ts'
import { START_CACHE } from '../support/start-cache.ts'

const guide = readFileSync('docs/guide.md', 'utf8')
const blocks = [...guide.matchAll(/^```(sh|text)\n(.*?)^```$/gms)].map(
  ([, kind = '', text = '']) => ({ kind, text }),
)
const [first, ...otherCommands] = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text)
const documentedOutputs = blocks.filter(({ kind }) => kind === 'text').map(({ text }) => text)

const folder = mkdtempSync(join(tmpdir(), 'guide-'))
const ports: Record<string, number> = {}
let platform: ChildProcess
let output = ''

beforeAll(async () => {
  chmodSync(folder, 0o755)
  for (const name of readFileSync('packages/platform/settings/settings.ts', 'utf8').matchAll(
    /\b[A-Z_]+_PORT\b/g,
  ))
    ports[name[0]] ??= await freePort()
  // Starts the platform as the guide's first command does, but on other ports and without installing packages.
  platform = spawn(process.execPath, [...START_CACHE, 'packages/platform/command.ts'], {
    env: {
      ...process.env,
      DATA_FOLDER: folder,
      DEVELOPMENT_REDIRECT_URIS: 'http://localhost:4998/callback',
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [platform.stdout, platform.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  await vi.waitFor(
    () => {
      if (platform.exitCode !== null) throw new Error(output)
      expect(output).toContain('Ready.')
    },
    { timeout: 110_000, interval: 100 },
  )
})
afterAll(async () => {
  const exit = once(platform, 'exit')
  platform.kill('SIGINT')
  await exit
  rmSync(folder, { recursive: true, force: true })
})

test("the guide starts with the README's command", () => {
  expect(first).toBe('npm start\n')
  expect(readFileSync('README.md', 'utf8')).toContain('```\nnpm start ')
  expect(existsSync(join(folder, 'platform.json'))).toBe(true)
})

test("the guide's commands print what the guide shows", async () => {
  const script = await onOtherPorts(`set -e\n${otherCommands.join('\n')}`)
  const { stdout, stderr, code } = await bash(script)
  expect(code, `${stdout}${stderr}`).toBe(0)
  const lines = stdout.split('\n').filter(Boolean)
  const expectedLines = documentedOutputs.flatMap((text) => text.split('\n').filter(Boolean))
  expect(lines).toEqual(expectedLines.map((line) => expect.stringMatching(patternOf(line))))
})

test('the commands of docs/sign-in.md add a redirect URI at http://localhost, and set the variables', async () => {
  const page = readFileSync('docs/sign-in.md', 'utf8')
  const section =
    page.split('\n## ').find((text) => text.startsWith('The programs on this page')) ?? ''
  const commands = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text)
  expect(commands).toHaveLength(2)
  const report = 'echo "$REDIRECT_URI $CLIENT_ID $CLIENT_SECRET"'
  const { stdout, stderr, code } = await bash(await onOtherPorts([...commands, report].join('\n')))
  expect(code, `${stdout}${stderr}`).toBe(0)
  const [answer = '', variables = ''] = stdout.split('\n')
  const [, documented = ''] = /^```text\n(.*?)\n```$/ms.exec(section) ?? []
  expect(answer).toMatch(patternOf(documented))
  const { authUrl, clientSecret } = readFacts(folder)
  const [redirectUri = '', app = '', secret] = variables.split(' ')
  expect(secret).toBe(clientSecret)
  // This redirect URI is in the database, and that of port 4998 in the environment. The sign-in server caches apps for some seconds.
  for (const uri of ['http://localhost:4998/callback', redirectUri])
    await expect
      .poll(() => beginSignIn(authUrl, app, uri), { timeout: 10_000 })
      .toMatch(/^\/login\//)
})

async function beginSignIn(authUrl: string, client_id: string, redirect_uri: string) {
  const query = { response_type: 'code', scope: 'openid', client_id, redirect_uri }
  const address = `${authUrl}/authorize?${new URLSearchParams(query)}`
  return (await fetch(address, { redirect: 'manual' })).headers.get('location')
}

async function onOtherPorts(script: string): Promise<string> {
  const port = await freePort()
  return script
    .replaceAll('localhost:3000', `localhost:${ports.WEBHOOKS_PORT}`)
    .replaceAll('localhost:4000', `localhost:${port}`)
    .replaceAll('listen(4000)', `listen(${port})`)
    .replaceAll('.data/', `${folder}/`)
}

/** Runs a script with job control, as in a terminal. At the end, ends the script's background jobs that still run. */
async function bash(script: string) {
  // Writes to files, because background jobs would keep pipes open and the test would wait for their end.
  const [out, err] = [join(folder, 'out'), join(folder, 'err')]
  const child = spawn(
    'bash',
    ['-m', '-c', `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`],
    {
      // The environment of the platform, so that the commands find it.
      env: { ...process.env, DATA_FOLDER: folder },
      stdio: ['ignore', openSync(out, 'w'), openSync(err, 'w')],
    },
  )
  onTestFinished(() => void child.kill())
  const [code] = await once(child, 'exit')
  return { stdout: readFileSync(out, 'utf8'), stderr: readFileSync(err, 'utf8'), code }
}

/** Returns a pattern for a shown line; `…` matches anything. */
function patternOf(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`)
}

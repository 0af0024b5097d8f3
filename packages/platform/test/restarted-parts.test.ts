import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { readFacts } from '../facts.ts'
import { keepRunning } from '../processes/keep-running.ts'
import { descendants, freePorts, type StartCommand, startCommand } from './support/start-command.ts'

let folder: string
let running: StartCommand

beforeAll(async () => {
  folder = temporaryFolder('test-restarted-')
  running = startCommand({ DATA_FOLDER: folder, ...(await freePorts()) })
  await running.waitForOutput('Ready.')
})
afterAll(async () => {
  running.child.kill('SIGINT')
  if (running.child.exitCode === null) await once(running.child, 'exit')
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['PostgreSQL', 'PostgreSQL', /bin\/postgres\0-D/],
  ['Local chain', 'The local chain', /bin\/anvil\0/],
  ['GraphQL engine', 'The GraphQL engine', /engine\/server\.ts/],
  ['Developer API', 'The developer API', /webhooks\/server\.ts/],
  ['Simulator', 'The simulator', /simulator\/server\.ts/],
  ['Sign-in server', 'The sign-in server', /oidc\/server\.ts/],
])('a killed %s restarts, and requests succeed again', async (name, subject, program) => {
  const pid = findProcess(program)
  process.kill(pid, 'SIGKILL')
  await running.waitForOutput(`${subject} ended unexpectedly: signal SIGKILL.`)
  await running.waitForOutput(`${name} is running again.`)
  expect(findProcess(program)).not.toBe(pid)
  await expect.poll(() => verifyTwice(name), { timeout: 60_000 }).toBe('200 then 400')
  await expect.poll(discover, { timeout: 60_000 }).toBe(200)
  expect(running.child.exitCode).toBeNull()
})

test('a part restarts after its log has been removed', async () => {
  rmSync(join(folder, 'logs'), { recursive: true })
  process.kill(findProcess(/simulator\/server\.ts/), 'SIGTERM')
  await running.waitForOutput('simulator.log has been removed.')
  await expect.poll(() => verifyTwice('Log'), { timeout: 60_000 }).toBe('200 then 400')
  expect(running.child.exitCode).toBeNull()
})

test('a part that ends nine times in a row is not restarted, and the error says how it ended', async () => {
  const pauses: number[] = []
  const lines: string[] = []
  const onGiveUp = vi.fn()
  let starts = 0
  const part = await keepRunning(
    async (onEnd) => {
      starts += 1
      if (starts % 2 === 0) throw new Error('The part did not start.')
      setImmediate(() => onEnd(new Error('The part ended unexpectedly: exit code 7.')))
      return { stop: async () => {} }
    },
    {
      name: 'Part',
      report: (line) => lines.push(line),
      onGiveUp,
      wait: async (ms) => void pauses.push(ms),
    },
  )
  await vi.waitUntil(() => onGiveUp.mock.calls.length > 0)
  expect(onGiveUp.mock.calls).toEqual([
    [
      new Error(
        'The part ended unexpectedly: exit code 7.\nPart ended 9 times, and is not restarted again.',
      ),
    ],
  ])
  expect(pauses).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000])
  expect(lines[0]).toBe('The part ended unexpectedly: exit code 7.\nRestarting Part.')
  expect(lines[1]).toBe('The part did not start.\nRestarting Part in 0.5 s.')
  await part.stop()
})

test('a part that is stopped during a restart ends', async () => {
  const stops = vi.fn()
  let end = (_error: Error) => {}
  const part = await keepRunning(
    async (onEnd) => {
      end = onEnd
      return { stop: async () => stops() }
    },
    { name: 'Part', report: () => {}, onGiveUp: () => {} },
  )
  end(new Error('The part ended unexpectedly: signal SIGKILL.'))
  await part.stop()
  expect(stops).toHaveBeenCalledTimes(1)
})

/** Returns the id of the platform's only process with a matching command line. */
function findProcess(program: RegExp): number {
  const pids = descendants(running.pid).filter((pid) => {
    try {
      return program.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    } catch {
      return false
    }
  })
  expect(pids).toHaveLength(1)
  return pids[0] ?? 0
}

/** Verifies a new person twice, and returns both statuses. */
async function verifyTwice(person: string): Promise<string> {
  const { baseUrl, simulatorUrl, appId } = readFacts(folder)
  const identity = `${person} ${Date.now()}`
  try {
    const proof = await post(`${simulatorUrl}/prove`, { app_id: appId, action: 'vote', identity })
    const body = await proof.json()
    const [first, second] = [
      await post(`${baseUrl}/api/v2/verify/${appId}`, body),
      await post(`${baseUrl}/api/v2/verify/${appId}`, body),
    ]
    return `${first.status} then ${second.status}`
  } catch (error) {
    return String(error)
  }
}

async function discover(): Promise<number> {
  return (await fetch(`${readFacts(folder).authUrl}/readyz`)).status
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

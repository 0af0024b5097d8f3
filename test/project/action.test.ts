import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { freePorts } from '../../packages/platform/test/support/start-command.ts'
import { endProcessGroup } from '../support/processes/process-group.ts'

const folder = temporaryFolder('action ')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const Description = z.strictObject({ description: z.string(), default: z.string().optional() })
const Action = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string(), Description),
  outputs: z.record(z.string(), Description.extend({ value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.tuple([
      z.strictObject({
        id: z.string(),
        shell: z.literal('bash'),
        env: z.record(z.string(), z.string()),
        run: z.string(),
      }),
    ]),
  }),
})
const action = Action.parse(load(readFileSync('action.yml', 'utf8')))

test('the action declares every input and output of its step, and runs no package from npm', () => {
  const [step] = action.runs.steps
  const inputs = Object.values(step.env).flatMap((value) => /inputs\.(\w+)/.exec(value)?.[1] ?? [])
  expect(inputs).toEqual(Object.keys(action.inputs))
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.${step.id}.outputs.${name} }}`)
  expect(step.env.ACTION).toBe(`\${{ github.action_path }}`)
  // An attacker could publish a package with this project's name.
  expect(readFileSync('action.yml', 'utf8')).not.toMatch(/npx|npm (install|exec)/)
})

test('the action starts the platform of its own checkout, outputs its addresses, and stops it with the job', async () => {
  const ports = Object.entries(await freePorts()).map(
    ([name, port]) => `${name.replace('_PORT', '').toLowerCase().replaceAll('_', '-')}=${port}`,
  )
  const { pid, code, stdout, outputs } = await runAction({ PORTS: ports.join() })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs))
  const answer = await fetch(`${outputs['base-url']}/local`)
  const page = await answer.text()
  expect(page).toContain(outputs['api-key'])
  process.kill(-pid, 'SIGTERM')
  const lock = join(folder, 'personhood-platform/postgres/postmaster.pid')
  await vi.waitUntil(() => !existsSync(lock), { timeout: 30_000 })
})

test('the action fails with the output of the platform if the platform cannot start', async () => {
  const { code, stdout } = await runAction({ PORTS: 'web=1' })
  expect(code).toBe(1)
  expect(stdout).toContain('--ports must be a first port or name=port; got "web=1"')
})

/** Runs the action's step to its end, in a separate process group that also contains the processes that it starts. */
async function runAction(env: Record<string, string>) {
  const output = join(folder, 'output')
  writeFileSync(output, '')
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', action.runs.steps[0].run], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      ACTION: process.cwd(),
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: output,
      ...env,
    },
  })
  // The platform outlives the step, so it must end after a failed or interrupted test, too.
  onTestFinished(() => endProcessGroup(child))
  const stdout = text(child.stdout)
  const [code] = await once(child, 'exit')
  const lines = readFileSync(output, 'utf8').matchAll(/^([^=]+)=(.*)$/gm)
  return {
    pid: requireValue(child.pid, 'the id of a process'),
    code,
    stdout: await stdout,
    outputs: Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value])),
  }
}

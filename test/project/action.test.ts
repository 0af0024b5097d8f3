import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { present } from '../../lib/runtime/present.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { freePorts } from '../../packages/platform/test/support/start-command.ts'

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

test('the action names every input and output that its step has', () => {
  const [step] = action.runs.steps
  const inputs = Object.values(step.env).flatMap((value) => /inputs\.(\w+)/.exec(value)?.[1] ?? [])
  expect(inputs).toEqual(Object.keys(action.inputs))
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.${step.id}.outputs.${name} }}`)
  expect(step.env.ACTION).toBe(`\${{ github.action_path }}`)
  // A name could be anybody's, as long as npm does not have the package.
  expect(readFileSync('action.yml', 'utf8')).not.toMatch(/npx|npm (install|exec)/)
})

test('the action starts the platform that it was checked out with, tells where it is, and ends with its job', async () => {
  const ports = Object.entries(await freePorts()).map(
    ([name, port]) => `${name.replace('_PORT', '').toLowerCase().replaceAll('_', '-')}=${port}`,
  )
  const { pid, code, said, outputs } = await runAction({ PORTS: ports.join() })
  expect({ code, said }).toEqual({ code: 0, said: '' })
  expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs))
  const answer = await fetch(`${outputs['base-url']}/local`)
  const page = await answer.text()
  expect(page).toContain(outputs['api-key'])
  process.kill(-pid, 'SIGTERM')
  const lock = join(folder, 'personhood-platform/postgres/postmaster.pid')
  await vi.waitUntil(() => !existsSync(lock), { timeout: 30_000 })
})

test('an action that cannot start fails with what the platform said', async () => {
  const { code, said } = await runAction({ PORTS: 'web=1' })
  expect(code).toBe(1)
  expect(said).toContain('--ports must be a first port or name=port; got "web=1"')
})

/** Runs the action's step to its end, in a process group of its own, which what it has started stays in. */
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
  const said = text(child.stdout)
  const [code] = await once(child, 'exit')
  const lines = readFileSync(output, 'utf8').matchAll(/^([^=]+)=(.*)$/gm)
  return {
    pid: present(child.pid, 'the id of a process'),
    code,
    said: await said,
    outputs: Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value])),
  }
}

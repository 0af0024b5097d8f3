import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { present } from '../../../lib/present.ts'
import { runToEnd } from '../../support/docs/programs.ts'
import { installedBelow } from '../../support/installed-below.ts'
import { findPackagingFaults, type PackedPackage } from '../../support/packed-package.ts'
import { installPackedPlatform } from '../../support/platform/packed-platform.ts'
import { ownPorts } from '../../support/platform/start-command.ts'

let packed: PackedPackage

// The first run after a change of the sources builds it: seconds, but on a busy machine minutes.
beforeAll(async () => {
  packed = await installPackedPlatform()
  packed.linkProgram()
}, 300_000)
afterAll(() => packed.remove())

test('it is small, and has nothing but what runs, its documentation and its licence', () => {
  expect(packed.size).toBeLessThan(9_000_000)
  const others = packed.files.filter(
    (path) => !/^(dist|docs)\/|^(package\.json|README\.md|LICENSE)$/.test(path),
  )
  expect(others).toEqual([])
  const sources = packed.files.filter((path) => /(?<!\.d)\.tsx?$|\.(sol|circom|br|gz)$/.test(path))
  expect(sources).toEqual([])
})

test('what it exports and how it is packed is as package managers and compilers expect it', async () => {
  expect(await findPackagingFaults(packed)).toEqual([])
})

test('it depends on what it imports, in the versions that are tested here, and on nothing else', () => {
  const { dependencies, peerDependencies } = packed.manifest
  const dist = join(packed.home, 'dist')
  const imported = globSync('**/*.js', { cwd: dist, exclude: ['made/**'] }).flatMap((file) => {
    const found = readFileSync(join(dist, file), 'utf8').matchAll(
      /(?:^(?:import|export|\}).*? from |\bimport\(|^import |\bresolve\()'(@[^/']+\/[^/']+|[^./'][^/']*)/gm,
    )
    return [...found].map(([, name = '']) => name).filter((name) => !name.startsWith('node:'))
  })
  // Found only where what the package has was not made ahead.
  const needed = new Set(imported.filter((name) => name !== 'swagger-ui-dist'))
  expect([...needed].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort())
  const manifests = ['engine/package.json', 'package.json'].map((file) =>
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const here = Object.assign(
    {},
    ...manifests.flatMap((each) => [each.devDependencies, each.dependencies]),
  )
  expect(here).toMatchObject({ ...dependencies, ...peerDependencies })
})

test('whatever it installs may be given away under its licence', () => {
  expect(packed.manifest.license).toBe('GPL-3.0-or-later')
  const installed = installedBelow(Object.keys(packed.manifest.dependencies))
  expect(installed.length).toBeGreaterThan(100)
  const others = installed.filter(({ license }) => !COMPATIBLE.test(license))
  expect(others).toEqual([])
})

const COMPATIBLE =
  /^\(?(MIT|MIT-0|ISC|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|0BSD|Unlicense|PSF-2\.0|GPL-3\.0)\b/

test('the example’s test passes with it: two people get a coupon, and nobody a second one', async () => {
  const example = join(packed.folder, 'an example')
  cpSync('examples/coupon', example, { recursive: true })
  const command = ['env', '-C', example, process.execPath, '--test']
  const { code, said } = await runToEnd(command, { env: {} })
  expect(said).toContain('pass 1')
  expect(code).toBe(0)
}, 300_000)

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
  const inputs = Object.values(step.env).map((value) => /inputs\.(\w+)/.exec(value)?.[1])
  expect(inputs).toEqual(Object.keys(action.inputs))
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.${step.id}.outputs.${name} }}`)
  const { version } = JSON.parse(readFileSync('platform/package.json', 'utf8'))
  expect(action.inputs.package?.default).toBe(`personhood-platform@^${version}`)
})

test('the action starts a platform in a new folder, tells where it is, and ends with its job', async () => {
  const ports = Object.entries(await ownPorts()).map(
    ([name, port]) => `${name.replace('_PORT', '').toLowerCase().replaceAll('_', '-')}=${port}`,
  )
  const { pid, code, said, outputs } = await runAction({ PORTS: ports.join() })
  expect({ code, said }).toEqual({ code: 0, said: '' })
  expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs))
  const answer = await fetch(`${outputs['base-url']}/local`)
  const page = await answer.text()
  expect(page).toContain(outputs['api-key'])
  expect(page).toContain('npx personhood-platform demo')
  // What only the repository has.
  expect(page).not.toMatch(/npm run|docs\/[\w-]+\.md/)
  const log = readFileSync(join(packed.folder, 'personhood-platform.log'), 'utf8')
  expect(log).toContain('Ready. Try, in another terminal: npx personhood-platform demo')
  process.kill(-pid, 'SIGTERM')
  const lock = join(packed.folder, 'personhood-platform/postgres/postmaster.pid')
  await vi.waitUntil(() => !existsSync(lock), { timeout: 30_000 })
})

test('an action that cannot start fails with what the platform said', async () => {
  const { code, said } = await runAction({ PORTS: 'web=1' })
  expect(code).toBe(1)
  expect(said).toContain('--ports takes a first port, or name=port, not "web=1"')
})

/** Runs the action's step to its end, in a process group of its own, which what it has started stays in. */
async function runAction(env: Record<string, string>) {
  const output = join(packed.folder, 'output')
  writeFileSync(output, '')
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', action.runs.steps[0].run], {
    cwd: packed.folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      PACKAGE: 'personhood-platform',
      RUNNER_TEMP: packed.folder,
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

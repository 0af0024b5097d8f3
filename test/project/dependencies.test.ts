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

test('docs/dependencies.md lists every dependency, with a reason and its licence', () => {
  const dependencyNames = manifests.flatMap(
    ({ manifest: { dependencies, devDependencies, optionalDependencies } }) =>
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(
    /^\| `([^`]+)` +\| [\d.\w-]+ +\| ([^|]+?) +\| ([^|]+?) +\|/gm,
  )
  const entries = new Map([...rows].map(([, name, reason, licence]) => [name, { reason, licence }]))
  expect([...entries.keys()].sort()).toEqual([...new Set(dependencyNames)].sort())
  for (const { reason, licence } of entries.values()) expect(reason && licence).toBeTruthy()
})

test('all workspaces use the same version of a package', () => {
  const versions = new Map<string, Map<string, string>>()
  for (const { file, manifest } of manifests)
    for (const [name, version] of Object.entries({
      ...manifest.devDependencies,
      ...manifest.dependencies,
    }))
      versions.set(name, (versions.get(name) ?? new Map()).set(version, dirname(file)))
  const conflicts = [...versions].filter(([, folders]) => folders.size > 1)
  expect(conflicts).toEqual([])
})

test('no override replaces a package with a package of another name', () => {
  for (const { overrides } of [root, readManifest('packages/engine/test/clients/app/package.json')])
    expect(JSON.stringify(overrides ?? {})).not.toContain('npm:')
})

test('npm start installs at most 600 packages', () => {
  const lock: Record<string, LockedPackage> = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  ).packages
  const packages = Object.entries(lock).filter(
    ([path, { dev, link, os = [process.platform], cpu = [process.arch] }]) =>
      path.includes('node_modules/') &&
      !(dev || link) &&
      os.includes(process.platform) &&
      cpu.includes(process.arch),
  )
  expect(packages.length).toBeLessThanOrEqual(600)
})

type LockedPackage = { dev?: boolean; link?: boolean; os?: string[]; cpu?: string[] }

function readManifest(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

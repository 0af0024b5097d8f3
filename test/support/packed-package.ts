import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { cachedFolder } from '../../local/caches/cached-folder.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'

const NODE_MODULES = join(process.cwd(), 'node_modules')

/** A workspace that npm publishes. */
type PublishedPackage = {
  name: string
  /** The path of its folder. */
  workspace: string
  /** Paths in the workspace that are packed in addition to the build's output. */
  extraFiles: readonly string[]
  /** A pattern for the source files. The package is packed again when they change. */
  sources: string
  /** Additional packages to install, such as optional peers. */
  extraPackages?: readonly string[]
}

/** A package as npm publishes it, installed in an empty folder. */
export type PackedPackage = Awaited<ReturnType<typeof installPacked>>

/**
 * Installs the tarball that npm would publish into a temporary folder. Links the package's dependencies and `extraPackages`
 * from this repository's node_modules, so that no registry is needed.
 */
export async function installPacked(published: PublishedPackage) {
  const { name, extraPackages = [] } = published
  const { tarball, size, files } = await packOnce(published)
  const folder = temporaryFolder(`packed ${published.name} `)
  const home = join(folder, 'node_modules', name)
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', home])
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const link = (dependency: string) => linkPackage(folder, dependency)
  for (const dependency of [...Object.keys(manifest.dependencies), ...extraPackages])
    link(dependency)
  const program = join(home, manifest.bin[name])
  return {
    ...{ folder, home, manifest, tarball, size, files, program },
    /** Links the program so that `npx` finds it. */
    linkProgram() {
      mkdirSync(join(folder, 'node_modules/.bin'))
      symlinkSync(program, join(folder, 'node_modules/.bin', name))
    },
    /** Installs another package of this repository's node_modules in the same folder. */
    link,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Finds faults in the manifest and the exports of a package, with publint and arethetypeswrong. */
export async function findPackagingFaults({ home, tarball }: PackedPackage): Promise<unknown[]> {
  const { messages } = await publint({ pkgDir: home, pack: false })
  const analysis = await checkPackage(
    createPackageFromTarballData(new Uint8Array(readFileSync(tarball))),
  )
  if (!analysis.types) throw new Error('The package has no types')
  // Node 22.12 and later can require an ES module. The resolution of Node 10 does not support exports.
  const acceptedKinds = ['CJSResolvesToESM', 'NoResolution']
  return [...messages, ...analysis.problems.filter(({ kind }) => !acceptedKinds.includes(kind))]
}

type Tarball = { tarball: string; size: number; files: readonly string[] }

/** Packs the package once for each state of its sources. Packs in a cache folder, because tests of several files may pack. */
async function packOnce(published: PublishedPackage): Promise<Tarball> {
  const state = hashFiles(published.sources)
  const cache = join('.cache', `${published.name}-${state}`)
  const folder = await cachedFolder(cache, (unfinished) => pack(published, unfinished))
  const [packed] = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8'))
  return {
    tarball: join(folder, packed.filename),
    size: Number(packed.size),
    files: packed.files.map(({ path }: { path: string }) => path),
  }
}

async function pack({ workspace, extraFiles }: PublishedPackage, folder: string) {
  const home = join(folder, 'package')
  for (const path of ['package.json', ...extraFiles])
    cpSync(join(workspace, path), join(home, path), { recursive: true })
  execFileSync(process.execPath, [join(workspace, 'build.mjs'), join(home, 'dist')])
  const options = ['--json', '--ignore-scripts', '--pack-destination', '..']
  const packed = execFileSync('npm', ['pack', ...options], {
    cwd: home,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await writeFile(join(folder, 'packed.json'), packed)
  rmSync(home, { recursive: true })
}

function hashFiles(pattern: string): string {
  const files = globSync(pattern, { exclude: ['**/{dist,node_modules,test}/**'] }).sort()
  const text = files.map((file) => `${file} ${readFileSync(file)}`).join('\n')
  return hash('sha256', text).slice(0, 16)
}

function linkPackage(folder: string, name: string) {
  const target = join(folder, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(join(NODE_MODULES, name), target)
}

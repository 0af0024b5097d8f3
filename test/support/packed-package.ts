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
type Published = {
  name: string
  /** The path of its folder. */
  workspace: string
  /** What is packed beside what the build makes, as paths in the workspace. */
  beside: readonly string[]
  /** The files that the package depends on: while they stay the same, it is packed once. */
  sources: string
  /** Further packages that are installed, such as optional peers. */
  further?: readonly string[]
}

/** A package as npm publishes it, installed in an empty folder. */
export type PackedPackage = Awaited<ReturnType<typeof installPacked>>

/**
 * Installs the tarball that npm would publish in a folder: with what its manifest asks for and nothing else, each from the
 * packages of this repository, so that no registry is needed.
 */
export async function installPacked(published: Published) {
  const { name, further = [] } = published
  const { tarball, size, files } = await packOnce(published)
  const folder = temporaryFolder(`packed ${published.name} `)
  const home = join(folder, 'node_modules', name)
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', home])
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const link = (dependency: string) => linkPackage(folder, dependency)
  for (const dependency of [...Object.keys(manifest.dependencies), ...further]) link(dependency)
  const program = join(home, manifest.bin[name])
  return {
    ...{ folder, home, manifest, tarball, size, files, program },
    /** Puts the program where `npx` finds it. */
    linkProgram() {
      mkdirSync(join(folder, 'node_modules/.bin'))
      symlinkSync(program, join(folder, 'node_modules/.bin', name))
    },
    /** Installs another package of this repository beside it. */
    link,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What package managers and compilers would have against the way in which it is packed and what it exports. */
export async function findPackagingFaults({ home, tarball }: PackedPackage): Promise<unknown[]> {
  const { messages } = await publint({ pkgDir: home, pack: false })
  const checked = await checkPackage(
    createPackageFromTarballData(new Uint8Array(readFileSync(tarball))),
  )
  if (!checked.types) throw new Error('the package has no types')
  // An ES module can be required since Node 22; the resolution of Node 10 knows no exports.
  const known = ['CJSResolvesToESM', 'NoResolution']
  return [...messages, ...checked.problems.filter(({ kind }) => !known.includes(kind))]
}

type Packed = { tarball: string; size: number; files: readonly string[] }

/** Packed not in the folder of the sources, where another test may be at it. */
async function packOnce(published: Published): Promise<Packed> {
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

async function pack({ workspace, beside }: Published, folder: string) {
  const home = join(folder, 'package')
  for (const path of ['package.json', ...beside])
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

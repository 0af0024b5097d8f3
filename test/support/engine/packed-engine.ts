import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cachedFolder } from '../../../lib/cached-folder.ts'
import { temporaryFolder } from '../../../lib/process/temporary-folder.ts'

const NAME = 'postgres-graphql-engine'
const NODE_MODULES = join(process.cwd(), 'node_modules')

/** The engine as npm publishes it, installed in an empty folder. */
export type PackedEngine = Awaited<ReturnType<typeof installPackedEngine>>

/**
 * Installs the tarball that npm would publish in a folder: with what its manifest asks for and nothing else, each from the
 * packages of this repository, so that no registry is needed.
 *
 * @param optional the optional packages that are installed too
 */
export async function installPackedEngine(optional: readonly string[]) {
  const { tarball, size, files } = await packEngine()
  const folder = temporaryFolder('packed engine ')
  const home = join(folder, 'node_modules', NAME)
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', home])
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const link = (name: string) => linkPackage(folder, name)
  for (const name of [...Object.keys(manifest.dependencies), ...optional]) link(name)
  return {
    folder,
    home,
    manifest,
    tarball,
    size,
    files,
    program: join(home, manifest.bin[NAME]),
    /** Puts the program where `npx` finds it. */
    linkProgram() {
      mkdirSync(join(folder, 'node_modules/.bin'))
      symlinkSync(join(home, manifest.bin[NAME]), join(folder, 'node_modules/.bin', NAME))
    },
    /** Installs another package of this repository beside it. */
    link,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

type Packed = { tarball: string; size: number; files: readonly string[] }

/** Packed once for each state of the sources, and not in their folder, where another test may be at it. */
async function packEngine(): Promise<Packed> {
  const folder = await cachedFolder(join('.cache', `engine-package-${hashSources()}`), pack)
  const [packed] = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8'))
  return {
    tarball: join(folder, packed.filename),
    size: Number(packed.size),
    files: packed.files.map(({ path }: { path: string }) => path),
  }
}

async function pack(folder: string) {
  const home = join(folder, 'package')
  for (const path of ['package.json', 'README.md', 'LICENSE', 'docs'])
    cpSync(join('engine', path), join(home, path), { recursive: true })
  execFileSync(process.execPath, ['engine/build.mjs', join(home, 'dist')])
  const packed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', '..'],
    {
      cwd: home,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  await writeFile(join(folder, 'packed.json'), packed)
  rmSync(home, { recursive: true })
}

function hashSources(): string {
  const files = globSync('{engine,lib}/**/*.*', { exclude: ['**/{dist,node_modules}/**'] }).sort()
  return hash('sha256', files.map((file) => `${file} ${readFileSync(file)}`).join('\n')).slice(
    0,
    16,
  )
}

function linkPackage(folder: string, name: string) {
  const target = join(folder, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(join(NODE_MODULES, name), target)
}

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'
import { CACHE, debianArchive } from '../docker-engine/debian-folder.ts'
import { mustRun, runProgram } from '../programs.ts'

const FOLDER = new URL('.', import.meta.url).pathname

/** The base images of the project except Hasura's, each with the Dockerfile of a substitute. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  'node:24-slim': 'node.Dockerfile',
  'postgres:18': 'postgres.Dockerfile',
  'caddy:2.10-alpine': 'caddy.Dockerfile',
  'prom/prometheus:v3.5.0': 'prometheus.Dockerfile',
}

const DEBIAN = 'containers-test/debian'

/** The certificates that this machine trusts. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Provides each missing base image: pulls it, or builds a substitute under the same name if no registry answers.
 *
 * @returns a text with the origin of each image
 */
export async function provideBaseImages(env: NodeJS.ProcessEnv): Promise<string> {
  const origins: string[] = []
  let isRegistryDown = false
  for (const [image, recipe] of Object.entries(SUBSTITUTES)) {
    if (await hasImage(image, env)) continue
    isRegistryDown ||= !(await pullImage(image, env))
    if (isRegistryDown) await buildSubstitute(image, recipe, env)
    origins.push(`${image} ${isRegistryDown ? 'built here' : 'pulled'}`)
  }
  return origins.join(', ') || 'all images existed'
}

/** Downloads a minimal Debian and npm for the substitute images, before a Docker engine runs. */
export async function prepareMaterial(env: NodeJS.ProcessEnv): Promise<void> {
  await debianArchive()
  await npmArchive(env)
}

/** The label of substitute images. The next run tries to pull labelled images, and otherwise builds them again. */
export const SUBSTITUTE_LABEL = ['--label', 'containers-test.stands-in=yes']

/** Reports whether Docker has the original image, not a substitute. */
export async function hasImage(image: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const format = '{{index .Config.Labels "containers-test.stands-in"}}'
  const { code, output } = await runProgram(
    ['docker', 'image', 'inspect', '--format', format, image],
    { env },
  )
  return code === 0 && output.trim() !== 'yes'
}

/** @returns true if a registry has the image */
export async function pullImage(image: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await runProgram(['docker', 'pull', '--quiet', image], { env })).code === 0
}

/** Returns a folder with npm 11, which the Node image has, and the certificates for the npm registry. */
function npmArchive(env: NodeJS.ProcessEnv): Promise<string> {
  return cachedFolder(join(CACHE, 'npm'), async (unfinished) => {
    const words = ['npm', 'pack', 'npm@11', '--silent', '--pack-destination', unfinished]
    const name = await mustRun(words, { env })
    copyFileSync(join(unfinished, name), join(unfinished, 'npm.tgz'))
    copyFileSync(CERTIFICATES, join(unfinished, 'certificates.pem'))
  })
}

async function buildSubstitute(image: string, recipe: string, env: NodeJS.ProcessEnv) {
  if (!(await hasImage(DEBIAN, env)))
    await mustRun(['docker', 'import', await debianArchive(), DEBIAN], { env })
  const context = await buildContext(recipe, env)
  const file = join(FOLDER, recipe)
  const words = [
    'docker',
    'build',
    '--quiet',
    ...SUBSTITUTE_LABEL,
    '--tag',
    image,
    '--file',
    file,
    context,
  ]
  await mustRun(words, { env })
}

/** Returns the build context of a Dockerfile: a folder with the files that the Dockerfile copies. */
async function buildContext(recipe: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (recipe !== 'node.Dockerfile') return FOLDER
  const folder = join(CACHE, `context-${process.version}`)
  await cachedFolder(folder, async (unfinished) => {
    copyFileSync(process.execPath, join(unfinished, 'node'))
    copyFileSync(join(await npmArchive(env), 'npm.tgz'), join(unfinished, 'npm.tgz'))
    copyFileSync(
      join(await npmArchive(env), 'certificates.pem'),
      join(unfinished, 'certificates.pem'),
    )
  })
  return folder
}

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'
import { CACHE, debianArchive } from '../docker-engine/debian-folder.ts'
import { mustRun, runProgram } from '../programs.ts'

const FOLDER = new URL('.', import.meta.url).pathname

/** The images that the project's files name, each with the file here that makes one like it. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  'node:24-slim': 'node.Dockerfile',
  'postgres:18': 'postgres.Dockerfile',
  'caddy:2.10-alpine': 'caddy.Dockerfile',
}

const DEBIAN = 'containers-test/debian'

/** What Debian's packages trust. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Makes sure that each image is there: from a registry or, where none answers, made here under the same name.
 *
 * @returns how each came, in words
 */
export async function provideBaseImages(env: NodeJS.ProcessEnv): Promise<string> {
  const came: string[] = []
  let isRegistryAway = false
  for (const [image, recipe] of Object.entries(SUBSTITUTES)) {
    if (await hasImage(image, env)) continue
    isRegistryAway ||= !(await pullImage(image, env))
    if (isRegistryAway) await makeImage(image, recipe, env)
    came.push(`${image} ${isRegistryAway ? 'built here' : 'pulled'}`)
  }
  return came.join(', ') || 'all of them were there'
}

/** What is made of npm's and Debian's packages before a Docker engine is there. */
export async function prepareMaterial(env: NodeJS.ProcessEnv): Promise<void> {
  await debianArchive()
  await npmArchive(env)
}

/** Marks an image that was made here in the place of another: the next run makes it anew. */
export const STANDS_IN = ['--label', 'containers-test.stands-in=yes']

/** Whether Docker has an image, and not one that was made here in its place. */
export async function hasImage(image: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const format = '{{index .Config.Labels "containers-test.stands-in"}}'
  const { code, said } = await runProgram(
    ['docker', 'image', 'inspect', '--format', format, image],
    { env },
  )
  return code === 0 && said.trim() !== 'yes'
}

/** @returns whether a registry has it */
export async function pullImage(image: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await runProgram(['docker', 'pull', '--quiet', image], { env })).code === 0
}

/** npm, as it is in the image of Node, and the certificates with which it reaches its registry from here. */
function npmArchive(env: NodeJS.ProcessEnv): Promise<string> {
  return cachedFolder(join(CACHE, 'npm'), async (unfinished) => {
    const words = ['npm', 'pack', 'npm@11', '--silent', '--pack-destination', unfinished]
    const name = await mustRun(words, { env })
    copyFileSync(join(unfinished, name), join(unfinished, 'npm.tgz'))
    copyFileSync(CERTIFICATES, join(unfinished, 'certificates.pem'))
  })
}

async function makeImage(image: string, recipe: string, env: NodeJS.ProcessEnv) {
  if (!(await hasImage(DEBIAN, env)))
    await mustRun(['docker', 'import', await debianArchive(), DEBIAN], { env })
  const context = await contextOf(recipe, env)
  const file = join(FOLDER, recipe)
  const words = [
    'docker',
    'build',
    '--quiet',
    ...STANDS_IN,
    '--tag',
    image,
    '--file',
    file,
    context,
  ]
  await mustRun(words, { env })
}

/** What a recipe copies into its image, and nothing else. */
async function contextOf(recipe: string, env: NodeJS.ProcessEnv): Promise<string> {
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

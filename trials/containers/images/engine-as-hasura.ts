import { readFileSync } from 'node:fs'
import { mustRun } from '../programs.ts'
import { hasImage, pullImage, STANDS_IN } from './base-images.ts'

/** The images of Hasura that the compose file names. */
export function hasuraImages(): string[] {
  const named = readFileSync('docker-compose.yml', 'utf8').matchAll(/image: (hasura\/\S+)/g)
  return [...named].map(([, image = '']) => image)
}

/**
 * Puts the embedded engine in the place of Hasura, under the names of its images, where no registry gives the real one. The
 * compose file stays as it is: the engine reads the same variables and the same folders.
 *
 * @returns what stands there, in words
 */
export async function provideHasura(env: NodeJS.ProcessEnv): Promise<string> {
  const images = hasuraImages()
  const [first = ''] = images
  if ((await hasImage(first, env)) || (await pullImage(first, env))) return 'Hasura'
  const tags = images.flatMap((image) => ['--tag', image])
  await mustRun(['docker', 'build', '--quiet', ...STANDS_IN, '--target', 'engine', ...tags, '.'], {
    env,
  })
  return 'the embedded engine'
}

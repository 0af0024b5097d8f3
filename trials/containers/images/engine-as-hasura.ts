import { readFileSync } from 'node:fs'
import { mustRun } from '../programs.ts'
import { hasImage, pullImage, SUBSTITUTE_LABEL } from './base-images.ts'

/** Lists the Hasura images that the compose file names. */
export function hasuraImages(): string[] {
  const lines = readFileSync('docker-compose.yml', 'utf8').matchAll(/image: (hasura\/\S+)/g)
  return [...lines].map(([, image = '']) => image)
}

/**
 * Pulls the first Hasura image, unless it exists; Compose pulls the other one. If no registry has the image, builds the embedded engine
 * under the names of both. The compose file stays unchanged, because the engine reads the same variables and folders.
 *
 * @returns the program in the images: `Hasura` or `the embedded engine`
 */
export async function provideHasura(env: NodeJS.ProcessEnv): Promise<string> {
  const images = hasuraImages()
  const [first = ''] = images
  if ((await hasImage(first, env)) || (await pullImage(first, env))) return 'Hasura'
  const tags = images.flatMap((image) => ['--tag', image])
  await mustRun(
    ['docker', 'build', '--quiet', ...SUBSTITUTE_LABEL, '--target', 'engine', ...tags, '.'],
    {
      env,
    },
  )
  return 'the embedded engine'
}

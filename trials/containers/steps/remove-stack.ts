import { mustRun } from '../programs.ts'
import type { Stack } from '../stack/stack.ts'
import { expectThat } from './world.ts'

/**
 * Stops the stack, and removes its containers, networks, volumes and the images that Compose has built for it.
 */
export async function removeStack({ compose, env }: Stack): Promise<string> {
  await compose('--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '60')
  const label = ['--filter', `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`]
  const ids = await mustRun(['docker', 'image', 'ls', '--quiet', ...label], { env })
  const images = [...new Set(ids.split('\n'))].filter(Boolean)
  if (images.length > 0) await mustRun(['docker', 'image', 'rm', '--force', ...images], { env })
  const kinds = [
    ['ps', '--all'],
    ['volume', 'ls'],
    ['network', 'ls'],
  ]
  for (const words of kinds) {
    const remaining = await mustRun(['docker', ...words, '--quiet', ...label], { env })
    expectThat(remaining === '', `docker ${words.join(' ')} must be empty; got ${remaining}`)
  }
  return 'no container, volume or network is left'
}

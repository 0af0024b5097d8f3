import { mustRun } from '../programs.ts'
import type { Stack } from '../stack/stack.ts'
import { expectThat } from './world.ts'

/** Ends the stack, and removes its containers, networks, volumes and images; what was there before stays. */
export async function takeAway({ compose, env }: Stack): Promise<string> {
  await compose('--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '60')
  const label = ['--filter', `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`]
  const own = await mustRun(['docker', 'image', 'ls', '--quiet', 'personhood-platform/*'], { env })
  const images = [...new Set(own.split('\n'))].filter(Boolean)
  if (images.length > 0) await mustRun(['docker', 'image', 'rm', '--force', ...images], { env })
  const kinds = [
    ['ps', '--all'],
    ['volume', 'ls'],
    ['network', 'ls'],
  ]
  for (const words of kinds) {
    const left = await mustRun(['docker', ...words, '--quiet', ...label], { env })
    expectThat(left === '', `docker ${words.join(' ')}: ${left}`)
  }
  return 'no container, volume or network is left'
}

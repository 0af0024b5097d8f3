import { demoData } from '../../../packages/platform/first-data/seed-demo-data.ts'
import { mustRun, runProgram } from '../programs.ts'
import { drawSecret } from '../stack/settings.ts'
import type { Stack } from '../stack/stack.ts'
import { expectThat } from './world.ts'

/** What `.env` lacks ends the start, and is named. */
export async function nameWhatIsMissing({ envFile, env }: Stack): Promise<string> {
  const secret = envFile.value('INTERNAL_SECRET')
  envFile.change({ INTERNAL_SECRET: '' })
  const { code, complained } = await runProgram(['docker', 'compose', 'config', '--quiet'], { env })
  envFile.change({ INTERNAL_SECRET: secret })
  expectThat(code !== 0 && complained.includes('INTERNAL_SECRET'), 'it starts without a secret')
  return 'INTERNAL_SECRET'
}

/** Builds the images of the project. @returns the size of each */
export async function buildImages(stack: Stack): Promise<string> {
  await stack.compose('build', '--quiet')
  return imageSizes(stack)
}

/** Starts everything as docs/operations/install.md says. @returns how long each container took to be healthy */
export async function startStack(stack: Stack): Promise<string> {
  const since = new Date()
  await stack.asDocumented('docs/operations/install.md', 'start')
  const times = await startTimes(stack, since)
  return times.join(', ')
}

/** The demo teams, put in as an operator would. @returns the API key of each, where it was not there before */
export async function seedDemoTeams({ sql, envFile }: Stack, clientSecret: string) {
  const { statements, keys } = demoData({
    demoKey: drawSecret(),
    otherKey: drawSecret(),
    demoClientSecret: clientSecret,
    apiKeyPepper: envFile.value('API_KEY_PEPPER'),
    clientSecretPepper: envFile.value('CLIENT_SECRET_PEPPER'),
  })
  for (const each of statements) await sql(`begin; ${each}; commit;`)
  return keys
}

/** Makes the first signing key as docs/operations/install.md says. */
export async function makeSigningKey(stack: Stack): Promise<string> {
  const said = await stack.asDocumented('docs/operations/install.md', 'signing-key')
  expectThat(/^20[01] /.test(said), `no key was made: ${said}`)
  return said.slice(0, 3)
}

async function imageSizes({ env, compose }: Stack): Promise<string> {
  const names = [...new Set((await compose('config', '--images')).split('\n'))].filter(Boolean)
  const format = '{{.Size}}'
  const sizes = await Promise.all(
    names.map(async (name) => {
      const { code, said } = await runProgram(
        ['docker', 'image', 'inspect', '--format', format, name],
        { env },
      )
      return code === 0 ? [`${name} ${Math.round(Number(said) / 1e6)} MB`] : []
    }),
  )
  return sizes.flat().join(', ')
}

/** From each container's start to the first time that it is found healthy, by Docker's own events. */
async function startTimes({ env }: Stack, since: Date): Promise<string[]> {
  const project = `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`
  const until = new Date()
  const said = await mustRun(
    [
      ...['docker', 'events', '--since', since.toISOString(), '--until', until.toISOString()],
      ...['--filter', 'type=container', '--filter', project, '--format', EVENT],
    ],
    { env },
  )
  const events = said.split('\n').map((line) => line.split('|'))
  const first = (id: string | undefined, what: string) =>
    Number(events.find(([other, , action]) => other === id && action === what)?.[3]) / 1e9
  const ids = [...new Set(events.map(([id]) => id))]
  const services = new Map(events.map(([id, service]) => [id, service]))
  return ids.flatMap((id) => {
    const seconds = first(id, 'health_status: healthy') - first(id, 'start')
    return Number.isNaN(seconds) ? [] : [`${services.get(id)} ${seconds.toFixed(1)} s`]
  })
}

const EVENT =
  '{{.Actor.ID}}|{{index .Actor.Attributes "com.docker.compose.service"}}|{{.Action}}|{{.TimeNano}}'

import { demoData } from '../../../packages/platform/first-data/seed-demo-data.ts'
import { mustRun, runProgram } from '../programs.ts'
import { drawSecret } from '../stack/settings.ts'
import type { Stack } from '../stack/stack.ts'
import { expectThat } from './world.ts'

/** Checks that a missing variable of `.env` prevents the start, and that the error names it. */
export async function expectMissingSecretNamed({ envFile, env }: Stack): Promise<string> {
  const secret = envFile.value('INTERNAL_SECRET')
  envFile.change({ INTERNAL_SECRET: '' })
  const { code, errorOutput } = await runProgram(['docker', 'compose', 'config', '--quiet'], {
    env,
  })
  envFile.change({ INTERNAL_SECRET: secret })
  expectThat(
    code !== 0 && errorOutput.includes('INTERNAL_SECRET'),
    'Compose accepted an empty INTERNAL_SECRET',
  )
  return 'INTERNAL_SECRET'
}

/** Builds the images of the project. @returns a text with the size of each image */
export async function buildImages(stack: Stack): Promise<string> {
  await stack.compose('build', '--quiet')
  return imageSizes(stack)
}

/** Starts the stack with the command of docs/operations/install.md. @returns a text with the seconds until each container was healthy */
export async function startStack(stack: Stack): Promise<string> {
  const since = new Date()
  await stack.asDocumented('docs/operations/install.md', 'start')
  const times = await startTimes(stack, since)
  return times.join(', ')
}

/** Inserts the demo teams by psql. @returns the API keys of the new teams */
export async function seedDemoTeams({ sql, envFile }: Stack, clientSecret: string) {
  const { statements, keys } = demoData({
    demoKey: drawSecret(),
    otherKey: drawSecret(),
    demoClientSecret: clientSecret,
    apiKeyPepper: envFile.value('API_KEY_PEPPER'),
    clientSecretPepper: envFile.value('CLIENT_SECRET_PEPPER'),
  })
  for (const statement of statements) await sql(`begin; ${statement}; commit;`)
  return keys
}

/** Creates the first signing key with the command of docs/operations/install.md. */
export async function createFirstSigningKey(stack: Stack): Promise<string> {
  const output = await stack.asDocumented('docs/operations/install.md', 'signing-key')
  expectThat(/^20[01] /.test(output), `no signing key was created: ${output}`)
  return output.slice(0, 3)
}

async function imageSizes({ env, compose }: Stack): Promise<string> {
  const names = [...new Set((await compose('config', '--images')).split('\n'))].filter(Boolean)
  const format = '{{.Size}}'
  const sizes = await Promise.all(
    names.map(async (name) => {
      const { code, output } = await runProgram(
        ['docker', 'image', 'inspect', '--format', format, name],
        { env },
      )
      return code === 0 ? [`${name} ${Math.round(Number(output) / 1e6)} MB`] : []
    }),
  )
  return sizes.flat().join(', ')
}

/** Measures the time from each container's start to its first healthy check, from Docker's events. */
async function startTimes({ env }: Stack, since: Date): Promise<string[]> {
  const project = `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`
  const until = new Date()
  const output = await mustRun(
    [
      ...['docker', 'events', '--since', since.toISOString(), '--until', until.toISOString()],
      ...['--filter', 'type=container', '--filter', project, '--format', EVENT],
    ],
    { env },
  )
  const events = output.split('\n').map((line) => line.split('|'))
  const firstTime = (containerId: string | undefined, action: string) =>
    Number(events.find(([id, , name]) => id === containerId && name === action)?.[3]) / 1e9
  const ids = [...new Set(events.map(([id]) => id))]
  const services = new Map(events.map(([id, service]) => [id, service]))
  return ids.flatMap((id) => {
    const seconds = firstTime(id, 'health_status: healthy') - firstTime(id, 'start')
    return Number.isNaN(seconds) ? [] : [`${services.get(id)} ${seconds.toFixed(1)} s`]
  })
}

const EVENT =
  '{{.Actor.ID}}|{{index .Actor.Attributes "com.docker.compose.service"}}|{{.Action}}|{{.TimeNano}}'

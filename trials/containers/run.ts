import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../local/process/free-port.ts'
import { developmentKey } from '../../local/simulator/development-key/development-key.ts'
import { startRelyingParty } from '../../packages/platform/parts/relying-party.ts'
import { requireEngine } from './docker-engine/find-engine.ts'
import { provideBaseImages } from './images/base-images.ts'
import { provideHasura } from './images/engine-as-hasura.ts'
import type { Report } from './report.ts'
import { drawSecret, writeEnvFile } from './stack/settings.ts'
import { openStack } from './stack/stack.ts'
import { startSurroundings } from './stack/surroundings.ts'
import { backUpAndRestore } from './steps/backup.ts'
import { awaitCrons } from './steps/crons.ts'
import { ENGINES, serveByEngines } from './steps/engines.ts'
import {
  admitCrowd,
  signInPerson,
  verifyRealPerson,
  verifySimulatedPerson,
} from './steps/people.ts'
import { makeVersion, rollOut, rollOutUnderLoad } from './steps/roll-out.ts'
import { changeEverySecret, changePasswords } from './steps/secrets.ts'
import {
  buildImages,
  makeSigningKey,
  nameWhatIsMissing,
  seedDemoTeams,
  startStack,
} from './steps/start.ts'
import { takeAway } from './steps/take-away.ts'
import { standBehindTerminator } from './steps/terminator.ts'
import { INSTANCES, type World } from './steps/world.ts'

const PRODUCTION = 'docker-compose.yml'
const ENGINE = 'docker-compose.engine.yml'
const DEVELOPMENT = 'trials/containers/stack/development.yml'

const IMAGES = ['webhooks', 'oidc', 'engine'].map((name) => `personhood-platform/${name}`)
const FIRST_VERSION = 'containers-test-1'
const SECOND_VERSION = 'containers-test-2'

/** Shown when a step has failed. */
const LOGS = ['logs', '--no-color', '--no-log-prefix', '--tail', '4']

/** Every step, in order; at the end nothing of it is left. */
export async function runContainers(env: NodeJS.ProcessEnv, report: Report): Promise<void> {
  await report.need('Docker', () => requireEngine(env))
  await report.need('base images', () => provideBaseImages(env))
  await report.need('Hasura, or its stand-in', () => provideHasura(env))
  const folder = mkdtempSync(join(tmpdir(), 'stack-'))
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true })]
  try {
    const { world, stop } = await openWorld(env, folder)
    stops.push(stop)
    stops.push(() => report.step('the stack is removed', () => takeAway(world.stack)))
    stops.push(async () => report.hasFailed() && console.info(await world.stack.compose(...LOGS)))
    await runAsProduction(world, report)
    await runSimulated(world, report)
    await runOnEngines(world, report)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function openWorld(env: NodeJS.ProcessEnv, folder: string) {
  const surroundings = await startSurroundings(env)
  const demoPort = await freePort()
  const ports = { webhooks: await freePort(), oidc: await freePort() }
  const baseUrl = `http://localhost:${ports.webhooks}`
  const authUrl = `http://localhost:${ports.oidc}`
  const demoUrl = `http://localhost:${demoPort}`
  const { verificationKeyFile } = await developmentKey()
  // For the services' own user, who may not read what root has made.
  const key = join(folder, 'development-key.json')
  copyFileSync(verificationKeyFile, key)
  chmodSync(key, 0o644)
  chmodSync(folder, 0o755)
  const envFile = writeEnvFile(join(folder, '.env'), {
    ...surroundings.variables,
    PLATFORM_VERSION: FIRST_VERSION,
    WEBHOOKS_PORT: String(ports.webhooks),
    OIDC_PORT: String(ports.oidc),
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    VERIFIER_THREADS: '1',
    DEVELOPMENT_KEY: key,
    DEVELOPMENT_REDIRECT_URIS: `${demoUrl}/callback`,
    LOCALHOST_REDIRECTS: 'true',
  })
  const stack = openStack(env, envFile, 'containers-test')
  stack.useFiles([PRODUCTION])
  const world: World = { stack, surroundings, baseUrl, authUrl, demoUrl, apiKey: '', otherKey: '' }
  return { world, stop: surroundings.stop }
}

/** The compose file as it is. */
async function runAsProduction(world: World, report: Report) {
  const { stack } = world
  await report.step('a missing secret is named', () => nameWhatIsMissing(stack))
  await report.need('build', () => buildImages(stack))
  await report.need('start', () => startStack(stack))
  await report.step('the first signing key', () => makeSigningKey(stack))
  await report.need('demo data', async () => {
    const keys = await seedDemoTeams(stack, drawSecret())
    Object.assign(world, { apiKey: keys.demo, otherKey: keys.other })
    return 'by psql in the container'
  })
  await report.step('a real proof, under production’s keys', () => verifyRealPerson(world))
  await report.step('schedules fire', () => awaitCrons(world, 1))
}

/** The same with the development key, so that there are as many people as wanted. */
async function runSimulated(world: World, report: Report) {
  const { stack } = world
  stack.useFiles([PRODUCTION, DEVELOPMENT])
  stack.envFile.change({ VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30' })
  await report.need('the development key, rolled out', async () => {
    for (const [service, count] of Object.entries(INSTANCES)) await rollOut(world, service, count)
    await admitCrowd(world)
    return 'to both services'
  })
  await report.step('a simulated person', () => verifySimulatedPerson(world, 'first'))
  await report.step('signs in by OpenID Connect', () => signInAtNewWebsite(world, 'first'))
  await report.need('a new version of the images', async () => {
    await makeVersion(world, IMAGES.slice(0, 2), SECOND_VERSION)
    stack.envFile.change({ PLATFORM_VERSION: SECOND_VERSION })
    return SECOND_VERSION
  })
  for (const [service, count] of Object.entries(INSTANCES))
    await report.step(`${service} rolled out under load`, () =>
      rollOutUnderLoad(world, service, count),
    )
  await report.step('webhooks rolled back under load', () => {
    stack.envFile.change({ PLATFORM_VERSION: FIRST_VERSION })
    return rollOutUnderLoad(world, 'webhooks', INSTANCES.webhooks)
  })
  await report.step('behind a terminator on the same machine', () => standBehindTerminator(world))
  await report.step('without the terminator again', () => startStack(stack))
}

/** The same with the embedded engine in Hasura's place, several times; its images have versions, too. */
async function runOnEngines(world: World, report: Report) {
  const { stack } = world
  const files = [PRODUCTION, ENGINE, DEVELOPMENT]
  stack.useFiles(files)
  await report.need('the engine instead of Hasura', () => serveByEngines(world, files))
  await report.step('a simulated person, on the engine', () =>
    verifySimulatedPerson(world, 'second'),
  )
  await report.step('signs in, on the engine', () => signInAtNewWebsite(world, 'second'))
  await report.step('each schedule fires once among the engines', () => awaitCrons(world, 2))
  await report.step('the engine rolled out under load', async () => {
    await makeVersion(world, IMAGES.slice(2), SECOND_VERSION)
    stack.envFile.change({ PLATFORM_VERSION: SECOND_VERSION })
    return rollOutUnderLoad(world, 'hasura', ENGINES)
  })
  let clientSecret = ''
  await report.step('every secret changed under load', async () => {
    const changed = await changeEverySecret(world, ENGINES)
    clientSecret = changed.clientSecret
    return changed.seen
  })
  await report.step('signs in with the new secrets', () =>
    signInAtWebsite(world, 'third', clientSecret),
  )
  await report.step('the passwords of the database changed under load', () =>
    changePasswords(world, ENGINES),
  )
  await report.step('backed up and restored', () => backUpAndRestore(world))
}

/** The same at a website that is given its secret now. */
async function signInAtNewWebsite(world: World, person: string): Promise<string> {
  const clientSecret = drawSecret()
  await seedDemoTeams(world.stack, clientSecret)
  return signInAtWebsite(world, person, clientSecret)
}

async function signInAtWebsite(
  world: World,
  person: string,
  clientSecret: string,
): Promise<string> {
  const { port } = new URL(world.demoUrl)
  const website = await startRelyingParty({
    port: Number(port),
    authUrl: world.authUrl,
    clientId: 'app_staging_00000000000000000000000000000001',
    clientSecret,
  })
  try {
    return await signInPerson(world, person)
  } finally {
    await website.stop()
  }
}

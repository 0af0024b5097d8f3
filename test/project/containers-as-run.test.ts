import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ENGINE_BOUNDS } from '../../packages/platform/parts/engine-bounds.ts'
import { compose, operatorEnvironment, readEnvironment } from '../support/compose.ts'
import {
  findLastInstruction,
  findUnlockedInstalls,
  listCopiedPaths,
  listInstructions,
} from '../support/dockerfile.ts'

// Tests against faults that runs of the containers (npm run test:containers) have shown. They need no Docker engine.
const caddyfile = readFileSync('ops/Caddyfile', 'utf8')
const dockerfile = readFileSync('Dockerfile', 'utf8')
const services = Object.entries(compose.services)
const builtServices = services.filter(([, { build }]) => build)

/** Parses a duration in the format of Caddy and compose. */
const seconds = (text: unknown) => Number(/^(\d+)s$/.exec(String(text))?.[1])
const proxyDuration = (name: string) =>
  seconds(new RegExp(`\\b${name} (\\S+)`).exec(caddyfile)?.[1])

describe('the images contain exactly the locked packages', () => {
  test('the build of an image needs nothing from a registry except its base image', () => {
    expect(dockerfile).not.toMatch(/^# syntax=/m)
  })

  test('an image has exactly the locked packages, and does not run their scripts', () => {
    expect(dockerfile.match(/\bnpm ci /g)).toHaveLength(3)
    expect(findUnlockedInstalls(dockerfile)).toEqual([])
  })

  test.each([
    ['npm install', 'npm ci --ignore-scripts', 'npm install --ignore-scripts'],
    ['install scripts', 'npm ci --ignore-scripts', 'npm ci'],
    ['a package name', 'npm ci --ignore-scripts', 'npm i --ignore-scripts pg'],
    ['no lock', 'COPY package.json package-lock.json ./', 'COPY package.json ./'],
    ['a second command', 'npm ci --ignore-scripts', 'npm ci --ignore-scripts && npx tool'],
  ])('findUnlockedInstalls finds an installation with %s', (_fault, good, bad) => {
    const stage =
      'FROM node AS a\nCOPY package.json package-lock.json ./\nRUN npm ci --ignore-scripts'
    expect(findUnlockedInstalls(stage)).toEqual([])
    expect(findUnlockedInstalls(stage.replace(good, bad))).toHaveLength(1)
  })

  test('the stages of the portal and of the engine have tsconfig.json', () => {
    for (const target of ['portal', 'engine-package'])
      expect(listCopiedPaths(target)).toContain('tsconfig.json')
  })

  test('the engine is compiled with the packages of its package.json', () => {
    expect(listCopiedPaths('engine-package')).toContain('packages/engine/package.json')
    expect(listInstructions('tools').join('\n')).not.toContain('workspaces')
  })

  test('the image of the engine matches the recipe in packages/engine/docs/from-docker.md', () => {
    const page = readFileSync('packages/engine/docs/from-docker.md', 'utf8')
    const [, recipe = ''] = /```dockerfile\n(.*?)```/s.exec(page) ?? []
    // The recipe installs a packed file; the image installs the locked packages.
    const lines = recipe
      .split('\n')
      .filter((line) => /^(WORKDIR|COPY|USER|EXPOSE|CMD)/.test(line) && !line.includes('.tgz'))
    expect(lines).toHaveLength(5)
    const instructions = listInstructions('engine').map((line) => line.join(' '))
    expect(instructions).toEqual(expect.arrayContaining(lines))
  })

  test.each(builtServices)(
    'the image of %s has a name with a version, for a roll-back',
    (name, { image }) => {
      expect(image).toBe(`personhood-platform/${name}:\${PLATFORM_VERSION:-local}`)
    },
  )

  test.each(builtServices)(
    'the health check of %s is a shell command, which takes little CPU',
    (name) => {
      const check = findLastInstruction(name, 'HEALTHCHECK')
      expect(check).toContain('CMD ["bash"')
      expect(check).toContain('--start-interval=1s')
    },
  )
})

describe('a service has time to finish its requests before it is killed', () => {
  const drain = (name: string) =>
    Number(readEnvironment(compose.services[name], operatorEnvironment).DRAIN_SECONDS)

  test.each(builtServices)(
    '%s drains longer than the proxy keeps a connection, and is not killed before it has drained',
    (name, service) => {
      expect(drain(name)).toBeGreaterThan(proxyDuration('keepalive'))
      // After that, running requests have ten seconds.
      expect(seconds(service.stop_grace_period)).toBeGreaterThan(drain(name) + 10)
    },
  )

  test('Hasura has enough time to stop, until its keep-alive connections are idle', () => {
    expect(seconds(compose.services.hasura?.stop_grace_period)).toBeGreaterThan(40)
  })
})

describe('the proxy has time limits, plain HTTP ports and writable folders', () => {
  test('the proxy soon retries a failed instance, because it may be the only one, and skips an instance that does not accept connections', () => {
    expect(proxyDuration('fail_duration')).toBeLessThan(5)
    expect(caddyfile).toContain('dial_timeout 500ms')
    // A mutation may take fifteen seconds (ops/roles.sql).
    expect(proxyDuration('response_header_timeout')).toBeGreaterThan(15)
  })

  test('the proxy listens only on ports for plain HTTP, and install.md does not mention host names', () => {
    const addresses = [...caddyfile.matchAll(/^([^\s#(]\S*) \{$/gm)].map(([, name]) => name)
    expect(addresses).toEqual([':3000', ':3001', ':2080'])
    expect(readFileSync('docs/operations/install.md', 'utf8')).not.toMatch(/host names/)
  })

  test('the Caddyfile writes arguments in the syntax of Caddy 2.7', () => {
    expect(caddyfile).toContain('{args[0]}')
    expect(caddyfile).not.toMatch(/\{args\.\d/)
  })

  test('the user of the proxy may write to /data and /config', () => {
    expect(compose.services.proxy?.tmpfs).toEqual(['/tmp', '/data:mode=1777', '/config:mode=1777'])
  })
})

const Override = z.object({
  services: z.record(
    z.string(),
    z.looseObject({ image: z.string(), environment: z.record(z.string(), z.string()) }),
  ),
})

function readOverride() {
  const text = readFileSync('docker-compose.engine.yml', 'utf8').replaceAll(
    /!(override|reset) /g,
    '',
  )
  return Override.parse(load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }))
}

test('docker-compose.engine.yml sets the limits of npm start', () => {
  for (const { environment } of Object.values(readOverride().services))
    expect(environment).toMatchObject(ENGINE_BOUNDS)
})

test('packages/engine/docs/limits.md has the limits of npm start as a block to copy', () => {
  const [, block = ''] =
    /```sh\n([^`]*)```/.exec(readFileSync('packages/engine/docs/limits.md', 'utf8')) ?? []
  expect(parseEnv(block)).toEqual(ENGINE_BOUNDS)
})

test('docker-compose.engine.yml changes only the services of Hasura', () => {
  const { services: overrides } = readOverride()
  expect(Object.keys(overrides)).toEqual(['hasura', 'operator'])
  for (const { image } of Object.values(overrides))
    expect(image).toBe(`personhood-platform/engine:\${PLATFORM_VERSION:-local}`)
})

test('.env, which has every secret, is excluded from commits and images', () => {
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.env')
  const context = readFileSync('.dockerignore', 'utf8').split('\n')
  expect(context).toContain('*')
  expect(context.some((line) => line.startsWith('!.env'))).toBe(false)
})

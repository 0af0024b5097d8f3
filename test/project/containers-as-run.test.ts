import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ENGINE_BOUNDS } from '../../packages/platform/parts/engine-bounds.ts'
import { compose, environmentOf, operator } from '../support/compose.ts'
import { copiedInto, instructionsOf, lastOf, looseInstallsIn } from '../support/dockerfile.ts'

// What only a run of the containers showed (npm run test:containers), held where no Docker engine is.
const caddyfile = readFileSync('ops/Caddyfile', 'utf8')
const dockerfile = readFileSync('Dockerfile', 'utf8')
const services = Object.entries(compose.services)
const built = services.filter(([, { build }]) => build)

/** In seconds, as Caddy and compose write it. */
const seconds = (text: unknown) => Number(/^(\d+)s$/.exec(String(text))?.[1])
const ofProxy = (name: string) => seconds(new RegExp(`\\b${name} (\\S+)`).exec(caddyfile)?.[1])

describe('the images', () => {
  test('need nothing from a registry but what they are based on', () => {
    expect(dockerfile).not.toMatch(/^# syntax=/m)
  })

  test('have the packages of the lock, whose scripts are not run', () => {
    expect(dockerfile.match(/\bnpm ci /g)).toHaveLength(3)
    expect(looseInstallsIn(dockerfile)).toEqual([])
  })

  test.each([
    ['another command', 'npm ci --ignore-scripts', 'npm install --ignore-scripts'],
    ['scripts', 'npm ci --ignore-scripts', 'npm ci'],
    ['a package by its name', 'npm ci --ignore-scripts', 'npm i --ignore-scripts pg'],
    ['no lock', 'COPY package.json package-lock.json ./', 'COPY package.json ./'],
    ['a second command', 'npm ci --ignore-scripts', 'npm ci --ignore-scripts && npx tool'],
  ])('an image whose stage installs with %s is found', (_what, good, bad) => {
    const stage =
      'FROM node AS a\nCOPY package.json package-lock.json ./\nRUN npm ci --ignore-scripts'
    expect(looseInstallsIn(stage)).toEqual([])
    expect(looseInstallsIn(stage.replace(good, bad))).toHaveLength(1)
  })

  test('are built with the settings of the compiler, which are also those of the tool that builds the portal', () => {
    for (const target of ['portal', 'engine-package'])
      expect(copiedInto(target)).toContain('tsconfig.json')
  })

  test('of the engine has the packages of its manifest when it is compiled', () => {
    expect(copiedInto('engine-package')).toContain('packages/engine/package.json')
    expect(instructionsOf('tools').join('\n')).not.toContain('workspaces')
  })

  test('of the engine is made as packages/engine/docs/from-docker.md says', () => {
    const page = readFileSync('packages/engine/docs/from-docker.md', 'utf8')
    const [, recipe = ''] = /```dockerfile\n(.*?)```/s.exec(page) ?? []
    // The page installs a packed file, and the image what the lock names.
    const lines = recipe
      .split('\n')
      .filter((line) => /^(WORKDIR|COPY|USER|EXPOSE|CMD)/.test(line) && !line.includes('.tgz'))
    expect(lines).toHaveLength(5)
    const own = instructionsOf('engine').map((line) => line.join(' '))
    expect(own).toEqual(expect.arrayContaining(lines))
  })

  test.each(built)(
    'of %s has a name with a version, which a roll-back needs',
    (name, { image }) => {
      expect(image).toBe(`personhood-platform/${name}:\${PLATFORM_VERSION:-local}`)
    },
  )

  test.each(built)('of %s is asked for its health by a shell, which takes little CPU', (name) => {
    const check = lastOf(name, 'HEALTHCHECK')
    expect(check).toContain('CMD ["bash"')
    expect(check).toContain('--start-interval=1s')
  })
})

describe('a stop', () => {
  const drain = (name: string) =>
    Number(environmentOf(compose.services[name], operator).DRAIN_SECONDS)

  test.each(built)(
    '%s waits for a last request longer than the proxy keeps a connection, and is not killed meanwhile',
    (name, service) => {
      expect(drain(name)).toBeGreaterThan(ofProxy('keepalive'))
      // Requests under way have ten seconds after that.
      expect(seconds(service.stop_grace_period)).toBeGreaterThan(drain(name) + 10)
    },
  )

  test('of Hasura has the time that it needs until its kept connections are idle', () => {
    expect(seconds(compose.services.hasura?.stop_grace_period)).toBeGreaterThan(40)
  })
})

describe('the proxy', () => {
  test('tries an instance again soon, which may be the only one, and leaves out one that hangs', () => {
    expect(ofProxy('fail_duration')).toBeLessThan(5)
    expect(caddyfile).toContain('dial_timeout 500ms')
    // A mutation may take fifteen seconds (ops/roles.sql).
    expect(ofProxy('response_header_timeout')).toBeGreaterThan(15)
  })

  test('speaks plain HTTP on its ports alone, and no page promises more', () => {
    const addresses = [...caddyfile.matchAll(/^([^\s#(]\S*) \{$/gm)].map(([, name]) => name)
    expect(addresses).toEqual([':3000', ':3001', ':2080'])
    expect(readFileSync('docs/operations/install.md', 'utf8')).not.toMatch(/host names/)
  })

  test('names arguments as Caddy does since 2.7', () => {
    expect(caddyfile).toContain('{args[0]}')
    expect(caddyfile).not.toMatch(/\{args\.\d/)
  })

  test('may write into the folders that are its own user’s', () => {
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

test('docker-compose.engine.yml gives the engine the bounds of npm start', () => {
  for (const { environment } of Object.values(readOverride().services))
    expect(environment).toMatchObject(ENGINE_BOUNDS)
})

test('the page on the engine’s limits has the bounds of npm start as a block to copy', () => {
  const [, block = ''] =
    /```sh\n([^`]*)```/.exec(readFileSync('packages/engine/docs/limits.md', 'utf8')) ?? []
  expect(parseEnv(block)).toEqual(ENGINE_BOUNDS)
})

test('docker-compose.engine.yml changes Hasura’s services and no others', () => {
  const { services: changed } = readOverride()
  expect(Object.keys(changed)).toEqual(['hasura', 'operator'])
  for (const { image } of Object.values(changed))
    expect(image).toBe(`personhood-platform/engine:\${PLATFORM_VERSION:-local}`)
})

test('.env, which has every secret, is in no commit and in no image', () => {
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.env')
  const context = readFileSync('.dockerignore', 'utf8').split('\n')
  expect(context).toContain('*')
  expect(context.some((line) => line.startsWith('!.env'))).toBe(false)
})

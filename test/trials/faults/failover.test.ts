import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PATRONI_FILE } from '../../../trials/faults/failover/database-machine.ts'
import {
  type Disturbance,
  FAULT_TITLES,
  type FaultResult,
  faultCells,
  findLongestPause,
  judgeFault,
} from '../../../trials/faults/failover/disturbance.ts'
import { createMachineEnvironment } from '../../../trials/faults/failover/machine-environment.ts'
import { PORTS } from '../../../trials/faults/failover/pooler-machine.ts'
import { findMissingRequirements, type Host } from '../../../trials/faults/failover/requirements.ts'
import { replaceResults } from '../../../trials/faults/faults-page.ts'

describe('findLongestPause measures the pause around a fault', () => {
  const at = (...times: number[]) => times.map((time) => ({ answer: '200', at: time }))

  test.each([
    ['from the last success before the fault to the next success', at(0, 90, 700, 720), 610],
    ['without pauses that ended before the fault', at(0, 80, 90, 120), 30],
    ['the longer of two', at(90, 200, 900, 950), 700],
    ['from unsorted answers', at(700, 90, 720), 610],
    ['from the fault if there was no success before', at(500), 400],
  ])('findLongestPause measures the pause around a fault: %s', (_name, answers, pause) => {
    expect(findLongestPause(answers, 100)).toBe(pause)
  })

  test('an error response does not end the pause', () => {
    const answers = [...at(90, 700), { answer: '503 unavailable', at: 300 }]
    expect(findLongestPause(answers, 100)).toBe(610)
  })
})

describe('judgeFault finds lost, repeated and late results', () => {
  const one: Disturbance = {
    people: 2,
    answers: ['200', '503 unavailable', 'broken'],
    pauseMs: 1_900,
    signInPauseMs: 400,
    eventPauseMs: 1_000,
    actions: ['action_1', 'action_2'],
    lost: 0,
    countedTwice: 0,
  }
  const fault: FaultResult = {
    name: 'a fault',
    goalMs: 2_000,
    disturbances: [one],
    undelivered: 0,
    failures: [],
  }

  test.each([
    ['held', {}],
    ['1 lost', { lost: 1 }],
    ['1 counted twice', { countedTwice: 1 }],
    ['callers got 500', { answers: ['200', '500'] }],
    ['callers got 303 /callback', { answers: ['200', '303 /callback'] }],
    ['took longer than 2.0 s', { pauseMs: 2_001 }],
  ])('the verdict about a fault is: %s', (verdict, difference) => {
    expect(judgeFault({ ...fault, disturbances: [one, { ...one, ...difference }] })).toBe(verdict)
  })

  test('an undelivered event is a failure', () => {
    expect(judgeFault({ ...fault, undelivered: 1 })).toBe('1 undelivered')
  })

  test('a machine that does not return to the cluster is a failure', () => {
    expect(judgeFault({ ...fault, failures: ['db1 is away'] })).toBe('db1 is away')
  })

  test("a fault's row has the sum of each answer, and the median and maximum of each pause", () => {
    const disturbances = [one, { ...one, pauseMs: 100 }, { ...one, pauseMs: 300 }]
    const cells = faultCells({ ...fault, disturbances })
    expect(cells).toHaveLength(FAULT_TITLES.length)
    expect(cells.slice(0, 6)).toEqual([
      'a fault',
      '3',
      '6',
      '200: 3, 503 unavailable: 3, broken: 3',
      '0.3 s, at most 1.9 s',
      '≤ 2.0 s',
    ])
    expect(cells.slice(6, 9)).toEqual(['0.4 s, at most 0.4 s', '1.0 s, at most 1.0 s', '0 of 6'])
  })
})

test('replaceResults replaces the results of one program and keeps the others', () => {
  const page = readFileSync('docs/faults.md', 'utf8')
  const updatedPage = replaceResults(page, 'failover', 'RESULTS')
  expect(updatedPage).toContain(
    '<!-- made by: npm run test:failover -->\n\nRESULTS\n\n<!-- end -->',
  )
  const [before] = page.split('<!-- made by: npm run test:failover -->')
  expect(updatedPage.startsWith(before ?? 'nothing')).toBe(true)
  expect(() => replaceResults('a page', 'failover', 'RESULTS')).toThrow('lacks')
})

describe('findMissingRequirements lists what the failover tests need', () => {
  const able: Host = { platform: 'linux', userId: 0, hasProgram: () => true }

  test.each<[string, Partial<Host>, string[]]>([
    ['nothing if nothing is missing', {}, []],
    ['Linux', { platform: 'darwin' }, [expect.stringContaining('Linux')]],
    ['root', { userId: 1_000 }, [expect.stringContaining('root')]],
    [
      'the packages of missing programs, each once',
      { hasProgram: (name) => !['ip', 'bridge', 'debootstrap'].includes(name) },
      ['Programs are missing; run: apt-get install iproute2 debootstrap'],
    ],
  ])('findMissingRequirements asks for %s', (_name, difference, sentences) => {
    expect(findMissingRequirements({ ...able, ...difference })).toEqual(sentences)
  })
})

describe('the configuration of ops/failover is consistent', () => {
  const passwords = { superuser: 's', replication: 'r', restApi: 'p' }

  test('each machine has its own name and address, and the list of all machines', () => {
    const second = createMachineEnvironment({ name: 'db2', address: '192.0.2.12' }, passwords)
    expect(second).toMatchObject({
      ETCD_NAME: 'db2',
      ETCD_LISTEN_CLIENT_URLS: 'http://192.0.2.12:2379',
      PATRONI_NAME: 'db2',
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: '192.0.2.12:5432',
      PATRONI_ETCD3_HOSTS: '192.0.2.11:2379,192.0.2.12:2379,192.0.2.13:2379',
      PATRONI_SUPERUSER_PASSWORD: 's',
    })
  })

  test('commits wait for a standby, failed machines return, and Patroni accepts the configured times', () => {
    const Dcs = z.looseObject({
      ttl: z.number().min(20),
      loop_wait: z.number().min(1),
      retry_timeout: z.number().min(3),
      synchronous_mode: z.literal(true),
      synchronous_mode_strict: z.literal(true),
      // Otherwise a former primary with a full disk stays away, since pg_rewind fails there.
      postgresql: z.looseObject({ remove_data_directory_on_rewind_failure: z.literal(true) }),
    })
    const { bootstrap } = z
      .looseObject({ bootstrap: z.looseObject({ dcs: Dcs }) })
      .parse(load(readFileSync('ops/failover/patroni.yml', 'utf8')))
    const { ttl, loop_wait: wait, retry_timeout: retry } = bootstrap.dcs
    // Otherwise Patroni would lower the times.
    expect(wait + 2 * retry).toBeLessThanOrEqual(ttl)
  })

  test("PgBouncer connects to HAProxy, which checks Patroni's port", () => {
    const pgbouncer = readFileSync('ops/failover/pgbouncer.ini', 'utf8')
    const haproxy = readFileSync('ops/failover/haproxy.cfg', 'utf8')
    expect(pgbouncer).toContain(`port=${PORTS.haproxy}`)
    expect(pgbouncer).toContain(`listen_port = ${PORTS.pgbouncer}`)
    expect(haproxy).toContain(`:${PORTS.haproxy}"`)
    expect(haproxy).toContain('port 8008 check')
    expect(readFileSync('ops/failover/patroni.yml', 'utf8')).toContain('listen: 0.0.0.0:8008')
  })

  test("the documentation names the path that Patroni's file has on the machines", () => {
    const page = readFileSync('docs/operations/database.md', 'utf8')
    expect(new Set(page.match(/\/etc\/patroni\/[\w.]+/g))).toEqual(new Set([PATRONI_FILE]))
  })

  test('HAProxy drops its root privileges, and PgBouncer listens only on loopback', () => {
    const haproxy = readFileSync('ops/failover/haproxy.cfg', 'utf8')
    expect(haproxy).toMatch(/^ {2}user haproxy\n {2}group haproxy\n {2}chroot /m)
    const pgbouncer = readFileSync('ops/failover/pgbouncer.ini', 'utf8')
    expect(pgbouncer).toMatch(/^listen_addr = 127\.0\.0\.1$/m)
  })

  test('the connections of four PgBouncers, the sign-in servers and an engine fit into max_connections', () => {
    const number = (file: string, pattern: RegExp) =>
      Number(pattern.exec(readFileSync(file, 'utf8'))?.[1])
    const pool = number('ops/failover/pgbouncer.ini', /^default_pool_size = (\d+)$/m)
    const signIn = number('ops/roles.sql', /^with login .* connection limit (\d+)$/m)
    const engine = number('hasura/metadata/databases/databases.yaml', /max_connections: (\d+)/)
    const all = number('ops/failover/patroni.yml', /max_connections: (\d+)/)
    // PostgreSQL reserves three connections for superusers.
    expect(4 * pool + signIn + engine).toBeLessThan(all - 3)
  })
})

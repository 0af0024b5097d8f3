import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PATRONI_FILE } from '../../../trials/faults/failover/database-machine.ts'
import {
  type Disturbance,
  FAULT_TITLES,
  faultCells,
  judgeFault,
  longestPause,
  type PlayedFault,
} from '../../../trials/faults/failover/disturbance.ts'
import { machineEnvironment } from '../../../trials/faults/failover/machine-environment.ts'
import { PORTS } from '../../../trials/faults/failover/pooler-machine.ts'
import { type Host, missingMeans } from '../../../trials/faults/failover/requirements.ts'
import { withTable } from '../../../trials/faults/faults-page.ts'

describe('the pause that callers notice', () => {
  const at = (...times: number[]) => times.map((time) => ({ answer: '200', at: time }))

  test.each([
    ['the time from the last success before the fault to the next', at(0, 90, 700, 720), 610],
    ['not one that was over before the fault', at(0, 80, 90, 120), 30],
    ['the longer of two', at(90, 200, 900, 950), 700],
    ['of answers that came in another order', at(700, 90, 720), 610],
    ['from the fault, where nobody had succeeded before', at(500), 400],
  ])('is %s', (_name, answers, pause) => {
    expect(longestPause(answers, 100)).toBe(pause)
  })

  test('is not ended by a refusal', () => {
    const answers = [...at(90, 700), { answer: '503 unavailable', at: 300 }]
    expect(longestPause(answers, 100)).toBe(610)
  })
})

describe('the verdict about a fault', () => {
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
  const fault: PlayedFault = {
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
    ['callers were told 500', { answers: ['200', '500'] }],
    ['callers were told 303 /callback', { answers: ['200', '303 /callback'] }],
    ['took longer than 2.0 s', { pauseMs: 2_001 }],
  ])('is: %s', (verdict, difference) => {
    expect(judgeFault({ ...fault, disturbances: [one, { ...one, ...difference }] })).toBe(verdict)
  })

  test('is no success where an event was not delivered', () => {
    expect(judgeFault({ ...fault, undelivered: 1 })).toBe('1 undelivered')
  })

  test('is no success where a machine did not come back', () => {
    expect(judgeFault({ ...fault, failures: ['db1 is away'] })).toBe('db1 is away')
  })

  test('a row has a cell for each title, with sums, the median and the longest', () => {
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

test('the results of one program leave those of the other', () => {
  const page = readFileSync('docs/faults.md', 'utf8')
  const written = withTable(page, 'failover', 'RESULTS')
  expect(written).toContain('<!-- made by: npm run test:failover -->\n\nRESULTS\n\n<!-- end -->')
  const [before] = page.split('<!-- made by: npm run test:failover -->')
  expect(written.startsWith(before ?? 'nothing')).toBe(true)
  expect(() => withTable('a page', 'failover', 'RESULTS')).toThrow('no place')
})

describe('what the program asks for', () => {
  const able: Host = { platform: 'linux', userId: 0, hasProgram: () => true }

  test.each<[string, Partial<Host>, string[]]>([
    ['nothing where all is there', {}, []],
    ['Linux', { platform: 'darwin' }, [expect.stringContaining('Linux')]],
    ['root', { userId: 1_000 }, [expect.stringContaining('root')]],
    [
      'the packages of missing programs, each once',
      { hasProgram: (name) => !['ip', 'bridge', 'debootstrap'].includes(name) },
      ['Programs are missing: apt-get install iproute2 debootstrap'],
    ],
  ])('%s', (_name, difference, sentences) => {
    expect(missingMeans({ ...able, ...difference })).toEqual(sentences)
  })
})

describe('the configuration of ops/failover', () => {
  const passwords = { superuser: 's', replication: 'r', restApi: 'p' }

  test('another machine has its own name and address, and the list of all', () => {
    const second = machineEnvironment({ name: 'db2', address: '192.0.2.12' }, passwords)
    expect(second).toMatchObject({
      ETCD_NAME: 'db2',
      ETCD_LISTEN_CLIENT_URLS: 'http://192.0.2.12:2379',
      PATRONI_NAME: 'db2',
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: '192.0.2.12:5432',
      PATRONI_ETCD3_HOSTS: '192.0.2.11:2379,192.0.2.12:2379,192.0.2.13:2379',
      PATRONI_SUPERUSER_PASSWORD: 's',
    })
  })

  test('commits wait for a standby, each machine comes back, and Patroni keeps the times that it is given', () => {
    const Dcs = z.looseObject({
      ttl: z.number().min(20),
      loop_wait: z.number().min(1),
      retry_timeout: z.number().min(3),
      synchronous_mode: z.literal(true),
      synchronous_mode_strict: z.literal(true),
      // Else a former primary whose disk is full stays away, since pg_rewind fails there.
      postgresql: z.looseObject({ remove_data_directory_on_rewind_failure: z.literal(true) }),
    })
    const { bootstrap } = z
      .looseObject({ bootstrap: z.looseObject({ dcs: Dcs }) })
      .parse(load(readFileSync('ops/failover/patroni.yml', 'utf8')))
    const { ttl, loop_wait: wait, retry_timeout: retry } = bootstrap.dcs
    // Else Patroni makes them smaller.
    expect(wait + 2 * retry).toBeLessThanOrEqual(ttl)
  })

  test('PgBouncer leads to HAProxy, which asks the port of Patroni', () => {
    const pgbouncer = readFileSync('ops/failover/pgbouncer.ini', 'utf8')
    const haproxy = readFileSync('ops/failover/haproxy.cfg', 'utf8')
    expect(pgbouncer).toContain(`port=${PORTS.haproxy}`)
    expect(pgbouncer).toContain(`listen_port = ${PORTS.pgbouncer}`)
    expect(haproxy).toContain(`:${PORTS.haproxy}"`)
    expect(haproxy).toContain('port 8008 check')
    expect(readFileSync('ops/failover/patroni.yml', 'utf8')).toContain('listen: 0.0.0.0:8008')
  })

  test('Patroni’s file is where its service looks, on the page and on the machines', () => {
    const page = readFileSync('docs/operations/database.md', 'utf8')
    expect(new Set(page.match(/\/etc\/patroni\/[\w.]+/g))).toEqual(new Set([PATRONI_FILE]))
  })

  test('the programs beside Hasura give their rights up, and are reached from their machine alone', () => {
    const haproxy = readFileSync('ops/failover/haproxy.cfg', 'utf8')
    expect(haproxy).toMatch(/^ {2}user haproxy\n {2}group haproxy\n {2}chroot /m)
    const pgbouncer = readFileSync('ops/failover/pgbouncer.ini', 'utf8')
    expect(pgbouncer).toMatch(/^listen_addr = 127\.0\.0\.1$/m)
  })

  test('the connections of four PgBouncers, the sign-in servers and an engine that delivers fit', () => {
    const number = (file: string, pattern: RegExp) =>
      Number(pattern.exec(readFileSync(file, 'utf8'))?.[1])
    const pool = number('ops/failover/pgbouncer.ini', /^default_pool_size = (\d+)$/m)
    const signIn = number('ops/roles.sql', /^with login .* connection limit (\d+)$/m)
    const engine = number('hasura/metadata/databases/databases.yaml', /max_connections: (\d+)/)
    const all = number('ops/failover/patroni.yml', /max_connections: (\d+)/)
    // PostgreSQL keeps three of them for superusers, and operators need some.
    expect(4 * pool + signIn + engine).toBeLessThan(all - 3)
  })
})

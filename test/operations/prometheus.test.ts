import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join, matchesGlob } from 'node:path/posix'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compose, operatorEnvironment, readEnvironment } from '../support/compose.ts'
import { expressionsIn, jobsIn } from '../support/operations/prometheus.ts'

/** The parts of Prometheus's format that ops/prometheus.yml uses. */
const Configuration = z.strictObject({
  global: z.strictObject({
    scrape_interval: z.string(),
    scrape_timeout: z.string(),
    evaluation_interval: z.string(),
  }),
  rule_files: z.array(z.string()),
  alerting: z.strictObject({
    alertmanagers: z.array(
      z.strictObject({ file_sd_configs: z.array(z.strictObject({ files: z.array(z.string()) })) }),
    ),
  }),
  scrape_configs: z.array(
    z.strictObject({
      job_name: z.string(),
      dns_sd_configs: z.tuple([
        z.strictObject({
          names: z.tuple([z.string()]),
          type: z.literal('A'),
          port: z.number(),
          refresh_interval: z.string(),
        }),
      ]),
    }),
  ),
})

const configuration = Configuration.parse(load(readFileSync('ops/prometheus.yml', 'utf8')))
const jobs = configuration.scrape_configs
const prometheus = compose.services.prometheus
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** Returns the port of a service's metrics in docker-compose.yml, or undefined if the service has none. */
function metricsPortOf(name: string): string | undefined {
  return readEnvironment(compose.services[name], operatorEnvironment).METRICS_PORT
}

test('Prometheus has one job for each service of docker-compose.yml with metrics, with its name and port', () => {
  const services = Object.keys(compose.services).filter((name) => metricsPortOf(name))
  expect(services.length).toBeGreaterThan(1)
  const expectedJobs = services.map((name) => [`personhood-${name}`, name, metricsPortOf(name)])
  const configuredJobs = jobs.map(({ job_name, dns_sd_configs: [{ names, port }] }) => [
    job_name,
    names[0],
    String(port),
  ])
  expect(configuredJobs).toEqual(expectedJobs)
})

test('Prometheus shares exactly one network with each service, so that each instance has one address', () => {
  for (const { dns_sd_configs } of jobs) {
    const [name] = dns_sd_configs[0].names
    const networks = compose.services[name]?.networks ?? []
    const shared = networks.filter((network) => prometheus?.networks.includes(network))
    expect([name, shared]).toEqual([name, ['inside']])
  }
})

test('the port of Prometheus is published on this machine only, by a network that no other service has', () => {
  expect(prometheus?.ports).toEqual(['127.0.0.1:9090:9090'])
  const members = Object.entries(compose.services).filter(([, { networks }]) =>
    networks.includes('metrics'),
  )
  expect(members.map(([name]) => name)).toEqual(['prometheus'])
})

test('the container of Prometheus has the configuration, its rules, and limits of its data', () => {
  const command = z.array(z.string()).parse(prometheus?.command)
  const flags = new Map(command.map((flag) => [flag.split('=')[0], flag.split('=')[1]]))
  const file = flags.get('--config.file') ?? ''
  const mounts = new Map(
    (prometheus?.volumes ?? []).map((volume) => [volume.split(':')[1], volume.split(':')[0]]),
  )
  expect(mounts.get(file)).toBe('./ops/prometheus.yml')
  for (const rules of configuration.rule_files)
    expect(mounts.get(join(file, '..', rules))).toBe(`./ops/${basename(rules)}`)
  expect(mounts.get(flags.get('--storage.tsdb.path'))).toBe('prometheus')
  expect(flags.get('--storage.tsdb.retention.time')).toMatch(/^\d+d$/)
  expect(flags.get('--storage.tsdb.retention.size')).toMatch(/^\d+GB$/)
})

test('the alerts name only jobs of ops/prometheus.yml, and the chart gives its monitors the same names', () => {
  const names = jobs.map(({ job_name }) => job_name)
  const expressions = expressionsIn(load(readFileSync('ops/alerts.yml', 'utf8')))
  expect([...new Set(expressions.flatMap(jobsIn))].sort()).toEqual(names.toSorted())
  const template = readFileSync('ops/kubernetes/templates/monitoring/service-monitors.yaml', 'utf8')
  expect(template).toContain('{ targetLabel: job, replacement: personhood-{{ . }} }')
})

test('the files of watch.md for Alertmanager belong together, and Prometheus looks for its address in their folder', () => {
  const Override = z.object({
    services: z.object({
      alertmanager: z.object({ networks: z.array(z.string()), profiles: z.array(z.string()) }),
      prometheus: z.object({ volumes: z.tuple([z.string()]) }),
    }),
  })
  const { services } = Override.parse(readBlock('override'))
  expect(services.alertmanager.networks).toEqual(prometheus?.networks)
  expect(services.alertmanager.profiles).toEqual(prometheus?.profiles)
  const [source, target = ''] = services.prometheus.volumes[0].split(':')
  expect(source).toBe('./alertmanagers.yml')
  const globs = configuration.alerting.alertmanagers
    .flatMap(({ file_sd_configs }) => file_sd_configs.flatMap(({ files }) => files))
    .map((glob) => join('/etc/prometheus', glob))
  expect(globs.some((glob) => matchesGlob(target, glob))).toBe(true)
  expect(readBlock('alertmanagers')).toEqual([{ targets: ['alertmanager:9093'] }])
  const { route, receivers } = Object(readBlock('alertmanager'))
  expect(receivers.map(({ name }: { name: string }) => name)).toEqual([route.receiver])
})

/** Returns the content of a block ```` ```yaml name ```` of docs/operations/watch.md. */
function readBlock(name: string): unknown {
  const page = readFileSync('docs/operations/watch.md', 'utf8')
  return load(new RegExp(`^\`\`\`yaml ${name}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '')
}

test.runIf(hasPromtool)('promtool accepts ops/prometheus.yml', () => {
  const words = ['check', 'config', 'ops/prometheus.yml']
  const { status, stdout } = spawnSync('promtool', words, { encoding: 'utf8' })
  expect(stdout).toContain('SUCCESS: ops/prometheus.yml is valid')
  expect(status).toBe(0)
})

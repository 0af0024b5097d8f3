import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  absentMetricsIn,
  foreignMetricsIn,
  metricsIn,
  withoutSuffix,
} from '../support/operations/prometheus.ts'

/** The format of Prometheus, restricted to alerts with a severity and a summary. */
const Alerts = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z]\w+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+m$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
})

const Dashboard = z.looseObject({
  panels: z.array(z.looseObject({ targets: z.array(z.looseObject({ expr: z.string() })) })),
})

const alerts = Alerts.parse(load(readFileSync('ops/alerts.yml', 'utf8')))
const dashboard = Dashboard.parse(JSON.parse(readFileSync('ops/grafana-dashboard.json', 'utf8')))
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test('every alert has a unique name, a severity, a summary and no field that Prometheus rejects', () => {
  const rules = alerts.groups.flatMap((group) => group.rules)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  expect(rules.length).toBeGreaterThan(10)
})

test('alerts and the dashboard read metrics of Node only from the platform’s processes', () => {
  const rules = alerts.groups.flatMap((group) => group.rules)
  const queries = [...rules, ...dashboard.panels.flatMap(({ targets }) => targets)]
  const expressions = queries.map(({ expr }) => expr)
  expect(expressions.filter((expr) => expr.includes('personhood_service')).length).toBe(6)
  expect(expressions.flatMap(foreignMetricsIn)).toEqual([])
})

test('SeriesIsMissing reports the absence of every metric that an alert reads', () => {
  const rules = alerts.groups.flatMap((group) => group.rules)
  const report = rules.find(({ alert }) => alert === 'SeriesIsMissing')?.expr ?? ''
  const reported = absentMetricsIn(report).map(withoutSuffix)
  const read = rules.flatMap(({ expr }) => metricsIn(expr)).map(withoutSuffix)
  expect(new Set(read).size).toBeGreaterThan(8)
  expect([...new Set(reported)].sort()).toEqual([...new Set(read)].sort())
})

test.each([
  'max(process_resident_memory_bytes{}) > 1',
  'rate(process_resident_memory_bytes[5m])',
  'sum(nodejs_heap_size_used_bytes{personhood_service!=""}) - process_resident_memory_bytes',
])('foreignMetricsIn finds a metric of other programs in %s', (expression) => {
  expect(foreignMetricsIn(expression)).toEqual(['process_resident_memory_bytes'])
})

/** The value for which the notation has no repetition. */
const NOT_A_NUMBER = Array.from({ length: 121 }, () => 'NaN').join(' ')

/** A sample each minute for two hours, in the notation of Prometheus: `value+increase x count`. */
const healthy = {
  'up{job="personhood-webhooks",instance="a:9464"}': '1x120',
  'up{job="personhood-webhooks",instance="b:9464"}': '1x120',
  'up{job="personhood-oidc",instance="c:9465"}': '1x120',
  'http_request_seconds_count{route="/healthz",status="200"}': '0+12x120',
  'http_request_seconds_bucket{route="/healthz",status="200",le="+Inf"}': '0+12x120',
  'graphql_request_seconds_count{operation="Backlog",outcome="ok"}': '0+4x120',
  'proof_wait_seconds{quantile="0.99"}': '0x120',
  'pairing_fallbacks_total{reason="unavailable"}': '0x120',
  'contract_cross_checks_total{answer="differs"}': '0x120',
  outbox_oldest_seconds: '0x120',
  transactions_pending_oldest_seconds: '0x120',
  prices_age_seconds: '30x120',
  'nodejs_eventloop_lag_p99_seconds{personhood_service="webhooks"}': '0.01x120',
  'process_resident_memory_bytes{personhood_service="webhooks"}': '100000000x120',
  log_lines_lost_total: '0x120',
  'signing_key_expires_seconds{use="verification"}': '8640000x120',
  'signing_key_expires_seconds{use="sign-in"}': '8640000x120',
}

/** A fault, and the alerts that fire two hours after the start of the series, with their label that differs. */
const FAULTS: readonly [fault: string, series: Partial<typeof healthy>, alerts: string[]][] = [
  ['no fault', {}, []],
  [
    'an instance that does not answer',
    { 'up{job="personhood-webhooks",instance="b:9464"}': '1x100 0x20' },
    ['InstanceIsGone b:9464', 'InstancesAreFewer personhood-webhooks'],
  ],
  [
    'an instance that Docker has stopped',
    { 'up{job="personhood-webhooks",instance="b:9464"}': '1x90 _x30' },
    ['InstancesAreFewer personhood-webhooks'],
  ],
  [
    'a service without an instance',
    { 'up{job="personhood-oidc",instance="c:9465"}': '_x120' },
    ['ServiceIsGone personhood-oidc'],
  ],
  ['a missing series', { log_lines_lost_total: '_x120' }, ['SeriesIsMissing log_lines_lost_total']],
  [
    'a Hasura that does not answer the query of the gauges',
    { outbox_oldest_seconds: NOT_A_NUMBER },
    ['SeriesIsMissing outbox_oldest_seconds'],
  ],
  ['no price yet', { prices_age_seconds: NOT_A_NUMBER }, []],
  [
    'a proof about which the verifier contract disagreed half an hour ago',
    { 'contract_cross_checks_total{answer="differs"}': '0x89 1x30' },
    ['VerifierContractDiffers '],
  ],
  [
    'a proof about which the verifier contract disagreed more than an hour ago',
    { 'contract_cross_checks_total{answer="differs"}': '0x19 1x100' },
    [],
  ],
  [
    'a key that expires within 30 days',
    { 'signing_key_expires_seconds{use="verification"}': '2500000x120' },
    ['SigningKeyExpires verification'],
  ],
  [
    'no key',
    { 'signing_key_expires_seconds{use="verification"}': '0x120' },
    ['SigningKeyExpires verification', 'SigningKeyIsMissing verification'],
  ],
]

test.runIf(hasPromtool).each(FAULTS)('with %s, exactly the expected alerts fire', (...fault) => {
  const [, series, expected] = fault
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  const file = join(folder, 'test.yml')
  const input_series = Object.entries({ ...healthy, ...series }).map(([name, values]) => ({
    series: name,
    values,
  }))
  const expr = 'ALERTS{alertstate="firing"}'
  const found = expected.map((text) => {
    const [alertname = '', value = ''] = text.split(' ')
    const rule = alerts.groups.flatMap((group) => group.rules).find((r) => r.alert === alertname)
    const labels = { alertname, alertstate: 'firing', severity: rule?.labels.severity }
    return { labels: toSelector({ ...labels, ...labelsOfAlert(alertname, value) }), value: 1 }
  })
  const tests = [
    {
      interval: '1m',
      input_series,
      promql_expr_test: [{ expr, eval_time: '2h', exp_samples: found }],
    },
  ]
  writeFileSync(file, JSON.stringify({ rule_files: [resolve('ops/alerts.yml')], tests }))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  expect(`${stdout}${stderr}`).toContain('SUCCESS')
  expect(status).toBe(0)
})

/** Returns the labels that distinguish the series of an alert. */
function labelsOfAlert(alertname: string, value: string): Record<string, string> {
  if (alertname === 'InstanceIsGone') return { instance: value, job: 'personhood-webhooks' }
  if (alertname.startsWith('SigningKey')) return { use: value }
  return alertname === 'SeriesIsMissing' ? { series: value } : { job: value }
}

/** Writes a series of `ALERTS` as Prometheus does. */
function toSelector(labels: Record<string, string | undefined>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return `ALERTS{${pairs.join(',')}}`
}

test.runIf(hasPromtool)('promtool accepts the alerts and every query of the dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  const file = join(folder, 'dashboard.yml')
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const rules = queries.map((expr, index) => ({ record: `query_${index}`, expr }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  const { status, stdout } = spawnSync('promtool', ['check', 'rules', 'ops/alerts.yml', file], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  expect(stdout).toContain(`SUCCESS: ${queries.length} rules found`)
  expect(status).toBe(0)
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { foreignMetricsIn } from '../support/operations/prometheus.ts'

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
  expect(expressions.filter((expr) => expr.includes('personhood_service')).length).toBe(5)
  expect(expressions.flatMap(foreignMetricsIn)).toEqual([])
})

test.each([
  'max(process_resident_memory_bytes{}) > 1',
  'rate(process_resident_memory_bytes[5m])',
  'sum(nodejs_heap_size_used_bytes{personhood_service!=""}) - process_resident_memory_bytes',
])('foreignMetricsIn finds a metric of other programs in %s', (expression) => {
  expect(foreignMetricsIn(expression)).toEqual(['process_resident_memory_bytes'])
})

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

import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'

test('the trace settings of the operations page keep the W3C propagator of the shipped metadata', () => {
  const shipped = load(readFileSync('hasura/metadata/opentelemetry.yaml', 'utf8'))
  const page = readFileSync('docs/operations/watch.md', 'utf8')
  const [, block = ''] =
    /`hasura\/metadata\/opentelemetry\.yaml`.*?```yaml\n(.*?)```/s.exec(page) ?? []
  const continues = {
    status: 'enabled',
    exporter_otlp: { traces_propagators: ['tracecontext'] },
  }
  expect(shipped).toMatchObject(continues)
  expect(load(block)).toMatchObject({ ...continues, data_types: ['traces'] })
})

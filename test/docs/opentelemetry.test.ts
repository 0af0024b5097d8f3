import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'

test('the documented trace settings keep the W3C propagator of hasura/metadata', () => {
  const shipped = load(readFileSync('hasura/metadata/opentelemetry.yaml', 'utf8'))
  const page = readFileSync('docs/operations/watch.md', 'utf8')
  const [, block = ''] =
    /`hasura\/metadata\/opentelemetry\.yaml`.*?```yaml\n(.*?)```/s.exec(page) ?? []
  const expectedSettings = {
    status: 'enabled',
    exporter_otlp: { traces_propagators: ['tracecontext'] },
  }
  expect(shipped).toMatchObject(expectedSettings)
  expect(load(block)).toMatchObject({ ...expectedSettings, data_types: ['traces'] })
})

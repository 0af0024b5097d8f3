import { beforeAll, describe, expect, test } from 'vitest'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { apiErrors } from '../../support/kubernetes/api-errors.ts'
import { noHelm, type Rendered, render } from '../../support/kubernetes/helm.ts'
import { small, withEverything, withSecretsByHand } from '../../support/kubernetes/values.ts'

describe.skipIf(noHelm)('the objects of the chart are valid', () => {
  let everything: Rendered[]
  beforeAll(async () => {
    everything = await render(withEverything)
  })

  test('the objects of the chart are valid for the Kubernetes API: required values, all parts, few instances, upgrade', async () => {
    const rendered = await Promise.all([
      render(withSecretsByHand),
      render(small),
      render(withEverything, '--is-upgrade'),
    ])
    expect(await apiErrors([...everything, ...rendered.flat()])).toEqual([])
  })

  test('apiErrors finds a wrong field, a wrong type and a wrong value', async () => {
    const copyOf = (kind: string, name: string) =>
      structuredClone(
        requireValue(
          everything.find((each) => each.kind === kind && each.metadata.name === name),
          name,
        ),
      )
    const deployment = copyOf('Deployment', 'demo-hasura')
    Object.assign(Object(deployment.spec), { replica: 3 })
    const policy = copyOf('NetworkPolicy', 'demo-proxy')
    Object.assign(Object(policy.spec), { policyTypes: 'Ingress' })
    const cluster = copyOf('Cluster', 'demo-postgres')
    Object.assign(Object(cluster.spec).postgresql.synchronous, { dataDurability: 'perhaps' })
    const invalidObjects = [deployment, policy, cluster]
    const errors = (await apiErrors(invalidObjects)).join('\n')
    expect(errors).toMatch(/replica.* does not exist/)
    expect(errors).toMatch(/policyTypes must be array/)
    expect(errors).toMatch(/dataDurability must be equal to one of the allowed values/)
  })
})

import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string
let vote: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  app = await platform.app({ team })
  vote = await platform.action(app)
})

describe('the v1 precheck finds an action by its id', () => {
  test.each([
    ['POST', () => platform.post(`/api/v1/precheck/${vote}`, {})],
    ['GET', () => get(`/api/v1/precheck/${vote}`)],
  ])(
    'the v1 precheck returns the fields of section 2.5 of the specification for %s',
    async (_method, send) => {
      expect(await send()).toMatchObject({ status: 200 })
      expect((await send()).body).toEqual({
        __typename: 'action',
        id: vote,
        name: '',
        public_description: '',
        is_staging: true,
        team: { __typename: 'team', app_name: 'App', is_verified: false, verified_app_logo: '' },
      })
    },
  )

  test.each([
    ['an unknown action', async () => `action_${'0'.repeat(32)}`],
    ['SQL instead of an id', async () => "wid'; drop table action; --"],
    ['an id with a zero byte', async () => 'action_\0'],
    [
      'an inactive action',
      async () => platform.action(app, { action: 'shut', status: 'inactive' }),
    ],
    [
      'an action of an inactive app',
      async () => platform.action(await platform.app({ team, status: 'inactive' })),
    ],
  ])('the v1 precheck returns 400 not_found for %s', async (_name, findAction) => {
    const path = `/api/v1/precheck/${encodeURIComponent(await findAction())}`
    expect(await platform.post(path, {})).toMatchObject({
      status: 400,
      body: { code: 'not_found', attribute: null },
    })
  })
})

async function get(path: string) {
  const response = await fetch(platform.baseUrl + path)
  return { status: response.status, body: await response.json() }
}

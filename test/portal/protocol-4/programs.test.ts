import type { Page } from 'playwright-core'
import { transformWithOxc } from 'vite'
import { describe, expect } from 'vitest'
import { pageProgram, serverFor } from '../../../portal/pages/action/programs-4.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { WINDOWS } from '../../support/portal/visits.ts'

const PURPOSE = {
  appId: 'app_staging_1',
  rpId: 'rp_00000000000000a1',
  action: `vote "twice"\\ $& \`\${1}\` </script>`,
  credential: 'passport',
  baseUrl: 'http://localhost:3000',
} as const

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test.each([
  ['simulated people', 'http://localhost:3003'],
  ['real people', null],
])(
  'the page for %s asks only for proofs of protocol 4.0 and imports no local file',
  async (_people, bridgeUrl) => {
    const text = pageProgram({ ...PURPOSE, bridgeUrl })
    const { code } = await transformWithOxc(text, 'page.jsx')
    expect(code).toContain(`APP_ID = ${JSON.stringify(PURPOSE.appId)}`)
    expect(text).toContain(`const ACTION = ${JSON.stringify(PURPOSE.action)}`)
    expect(text).toContain('allow_legacy_proofs={false}')
    expect(text).toContain("constraints={CredentialRequest('passport', { signal: SIGNAL })}")
    expect(text).not.toContain('preset=')
    expect(text.match(/bridge_url/g)?.length ?? 0).toBe(bridgeUrl === null ? 0 : 1)
    expect(text.match(/from '[^']*'/g)).toEqual([
      "from '@worldcoin/idkit'",
      "from 'react'",
      "from 'react-dom/client'",
    ])
    expect(text).not.toContain('import.meta')
  },
)

test("the server reads the app's rp id and the private key from variables", async () => {
  const { text, commands } = serverFor({ ...PURPOSE, bridgeUrl: null })
  await transformWithOxc(text, 'server.mjs')
  expect(commands).toContain(` RP_ID=${PURPOSE.rpId} `)
  expect(commands).toContain(' SIGNING_KEY=')
  expect(text).toContain("identifier: 'passport',")
  expect(text).toContain('issuer_schema_id: 9303,')
})

describe.each(WINDOWS)('the tab "Code" ($width px, $colorScheme)', (window) => {
  test.each([
    ['3.0', ['index.html', 'page.jsx', 'server.mjs', 'verify.sh']],
    ['4.0', ['index.html', 'page.jsx', 'server.mjs']],
    ['both', ['index.html', 'page.jsx', 'server.mjs']],
  ])('an action of the protocol %s has the programs %j', async (protocol, labels) => {
    const owner = await signUpOwner(scene)
    await scene.platform.db.query(
      "update action set protocol = $1, credentials = '{passport}' where id = $2",
      [protocol, owner.action],
    )
    const path = `${owner.path}/actions/${owner.action}`
    const { page, complaints } = await scene.openAs(owner.email, path, window)
    await page.getByRole('tab', { name: 'Code' }).click()
    for (const label of labels) await visibleBlock(page, label).waitFor()
    if (protocol !== '3.0')
      expect(await visibleBlock(page, 'page.jsx').textContent()).toContain("'passport'")
    expect(await accessFaults(page)).toEqual([])
    expect(await fitsWidth(page)).toBe(true)
    if (protocol === 'both') {
      await page.getByRole('tab', { name: 'Protocol 3.0' }).click()
      await visibleBlock(page, 'verify.sh').waitFor()
      expect(await visibleBlock(page, 'server.mjs').count()).toBe(1)
      expect(await accessFaults(page)).toEqual([])
    }
    expect(complaints).toEqual([])
    await scene.close(page)
  })
})

/** Finds the visible code block with a label. */
function visibleBlock(page: Page, label: string) {
  return page.getByRole('region', { name: label, exact: true }).filter({ visible: true })
}

import { afterAll, beforeAll, describe, expect } from 'vitest'
import { registerClient, type TestClient } from '../register-client.ts'
import { test } from '../sign-in-test.ts'
import { startTestSignIn, type TestSignIn } from '../start-sign-in.ts'
import { type Flow, flowsOf, nameOf } from './flows.ts'
import { moduleRows } from './page.ts'
import type { RelyingParty } from './relying-party.ts'

type Check = (party: RelyingParty, platform: TestSignIn) => Promise<void>

const ROWS = new Map(moduleRows().map((row) => [row.module, row]))

/**
 * What makes the tests of the suite's modules in one file. Each module is tested in all ways to ask that the profiles of its row
 * in docs/conformance.md have, or those that `isMeant` leaves; that row must say the same result.
 *
 * @param settings whether the file has a sign-in server of its own, which it may change, instead of the one that files share
 */
export function moduleTests({ isApart = false } = {}) {
  let platform: TestSignIn
  let client: TestClient
  const useServer = async (server: TestSignIn) => {
    platform = server
    client = await registerClient(platform.url, { client_name: 'Conformance' })
  }
  if (isApart) {
    beforeAll(async () => useServer(await startTestSignIn()))
    afterAll(() => platform.stop())
  } else test.beforeAll(({ signIn }) => useServer(signIn))

  const withResult =
    (result: string) =>
    (module: string, check: Check, isMeant: (flow: Flow) => boolean = () => true) => {
      const row = ROWS.get(module)
      const flows = flowsOf(row?.profiles ?? []).filter(isMeant)
      describe(module, () => {
        test(`${result}, as docs/conformance.md says`, () => expect(row?.result).toBe(result))
        for (const flow of flows)
          test(nameOf(flow), () => check({ url: platform.url, client, flow }, platform))
      })
    }
  return {
    /** The module would find nothing wrong. */
    passes: withResult('passes'),
    /** The module would warn of something that the server does by choice, and that is tested; a certificate allows it. */
    warns: withResult('warns'),
    /** The module would fail, since the server does something else by choice: that is what is tested. */
    refuses: withResult('refused by choice'),
    /** The suite would skip the module, because of what is tested. */
    skips: withResult('does not apply'),
  }
}

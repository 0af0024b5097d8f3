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
 * Returns functions that create the tests of the suite's modules in a file. A module is tested with the flows of its
 * profiles in docs/conformance.md; `filterFlow` can exclude flows. The module's row in docs/conformance.md must have the
 * result that belongs to the function.
 *
 * @param settings `isApart` starts a separate sign-in server for the file, which the file may change
 */
export function createModuleTests({ isApart = false } = {}) {
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
    (module: string, check: Check, filterFlow: (flow: Flow) => boolean = () => true) => {
      const row = ROWS.get(module)
      const flows = flowsOf(row?.profiles ?? []).filter(filterFlow)
      describe(module, () => {
        test(`docs/conformance.md says "${result}" for ${module}`, () =>
          expect(row?.result).toBe(result))
        for (const flow of flows)
          test(`${module} gets "${result}" with ${nameOf(flow)}`, () =>
            check({ url: platform.url, client, flow }, platform))
      })
    }
  return {
    /** The module would pass. */
    passes: withResult('passes'),
    /** The module would warn about a deliberate behaviour, which the test checks. A certificate allows warnings. */
    warns: withResult('warns'),
    /** The module would fail, because the server deliberately behaves differently. The test checks that behaviour. */
    refuses: withResult('refused by choice'),
    /** The suite would skip the module, because the server does not support the feature. The test checks that. */
    skips: withResult('does not apply'),
  }
}

import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES, textsIn } from '../../../oidc/page/texts.ts'
import { accountClaims } from '../../../oidc/provider/account.ts'
import {
  authorizeUrl,
  CALLBACK,
  postForm,
  postRegistration,
  registerClient,
  type TestClient,
} from '../../support/oidc/register-client.ts'
import { ISSUER, startTestSignIn, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { createTokenCalls } from '../../support/oidc/token-calls.ts'
import { Visitor } from '../../support/oidc/visitor.ts'

// Simulated people can sign in to a staging client, so its tokens and its page must say so.

const BETA = `${ISSUER}/beta`
const SIMULATOR = 'https://simulator.example.test'

let platform: TestSignIn
let staging: TestClient

beforeAll(async () => {
  platform = await startTestSignIn()
  staging = await registerClient(platform.url)
})
afterAll(() => platform.stop())

/** Reads the claim about the proof from every token and endpoint. */
async function readBetaClaims(client: TestClient, level: string) {
  const { introspect, userinfo } = createTokenCalls(() => ({ url: platform.url, client }))
  const back = await new Visitor(platform.url).signIn(
    authorizeUrl(client, { response_type: 'code id_token' }),
    { level },
  )
  const fragment = new URLSearchParams(new URL(back.headers.get('location') ?? '').hash.slice(1))
  const form = { grant_type: 'authorization_code', code: fragment.get('code') ?? '' }
  const { body } = await postForm(platform.url, '/token', form, { authorization: client.basic })
  return {
    'id_token of /authorize': decodeJwt(fragment.get('id_token') ?? '')[BETA],
    'id_token of /token': decodeJwt(String(body.id_token))[BETA],
    userinfo: (await userinfo(String(body.access_token))).body[BETA],
    introspection: (await introspect(String(body.access_token))).body[BETA],
  }
}

const everywhere = (claim: object) => ({
  'id_token of /authorize': claim,
  'id_token of /token': claim,
  userinfo: claim,
  introspection: claim,
})

test.each(['orb', 'device'])(
  'tokens of a staging client say that the person may be simulated, with the level %s',
  async (level) => {
    expect(await readBetaClaims(staging, level)).toEqual(
      everywhere({ likely_human: 'weak', credential_type: level, staging: true }),
    )
  },
)

// Tests cannot make the proof of a real person, so no production sign-in is tested.
test.each([
  ['orb', 'strong'],
  ['device', 'weak'],
] as const)(
  'in tokens of a production client the level %s means likely_human: %s, without "staging"',
  (level, human) => {
    const account = { appId: 'app_1', nullifierHash: '0x1', verificationLevel: level }
    expect(accountClaims(ISSUER)({ ...account, isStaging: false })[BETA]).toEqual({
      likely_human: human,
      credential_type: level,
    })
  },
)

test.each([{}, { grant_types: ['authorization_code'] }])(
  'the response to a registration with %j says that the client is a staging client',
  async (fields) => {
    const { body } = await postRegistration(platform.url, { redirect_uris: [CALLBACK], ...fields })
    expect(body.environment).toBe('staging')
  },
)

describe('the sign-in page shows whether an app is being tested', () => {
  const cases = LANGUAGES.flatMap((language) => [
    { language, simulator: 'with the simulator' },
    { language, simulator: 'without the simulator' },
  ])

  test.each(cases)(
    'the page says in "$language" that a staging app is being tested, $simulator',
    async ({ language, simulator }) => {
      const env = simulator === 'with the simulator' ? { SIMULATOR_URL: SIMULATOR } : {}
      const { url } = await platform.startAnother({ env })
      const { html } = await new Visitor(url).begin(authorizeUrl(staging, { ui_locales: language }))
      expect(visibleText(html)).toContain(textsIn(language).testing)
    },
  )

  test('the page says that a staging app is being tested even when its sign-in is switched off', async () => {
    await platform.db.query(
      "update action set status = 'inactive' where app_id = $1 and action = ''",
      [staging.id],
    )
    const { url } = await platform.startAnother()
    const { html } = await new Visitor(url).begin(authorizeUrl(staging))
    expect(visibleText(html)).toContain('This app is being tested')
  })

  test('the page of a production app does not say that it is being tested', async () => {
    const id = await makeProductionApp()
    const client = { id, secret: '', basic: '' }
    const { html } = await new Visitor(platform.url).begin(authorizeUrl(client))
    expect(visibleText(html)).not.toContain('being tested')
  })
})

async function makeProductionApp(): Promise<string> {
  const { rows } = await platform.db.query(
    `with new_team as (insert into team (name) values ('Shop') returning id)
    insert into app (team_id, name, is_staging) select id, 'Shop', false from new_team returning id`,
  )
  await platform.db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [
    rows[0].id,
    CALLBACK,
  ])
  return rows[0].id
}

/** Removes the scripts from the page, because their data contains every text. */
function visibleText(html: string): string {
  return html.replaceAll(/<script[\s\S]*?<\/script>/g, '')
}

import type fc from 'fast-check'
import type { z } from 'zod'
import type { Facts } from '../../packages/platform/facts.ts'
import type { Attack } from './attack.ts'
import { createEndpointAttacks } from './endpoints.ts'
import { createGraphqlAttacks } from './graphql.ts'
import type { OpenApi } from './openapi.ts'
import { readApiDocument, readSignInDocument } from './openapi-documents.ts'
import { createResponseCheck, type ResponseCheck } from './response-check.ts'
import { createAccount } from './sign-up.ts'

/** Attacks of one kind on the server at `url`. */
export type Campaign = {
  name: string
  /** The campaign's share of all requests, 0 to 1. */
  share: number
  url: string
  attacks: fc.Arbitrary<Attack>
  /** A check of the responses in addition to `findFault`. */
  checkResponse?: ResponseCheck
  /** Creates a new account after an attack has logged the previous one out. */
  signInAgain?: () => Promise<Authorization>
}

/** The headers that authenticate an attack. */
export type Authorization = { authorization: string }

/** Creates the campaigns of random HTTP requests against a platform, with credentials of each kind. */
export async function createCampaigns(facts: Facts, internalSecret: string): Promise<Campaign[]> {
  const { baseUrl, authUrl, apiKey } = facts
  const userToken = await createAccount(baseUrl)
  const credentials = [
    `Bearer ${apiKey}`,
    `Bearer ${userToken}`,
    `Bearer ${apiKey}x`,
    `Bearer ${internalSecret}`,
    'Basic YTpi',
    'Bearer ',
  ]
  const createServerAttacks = (campaign: string, document: z.infer<typeof OpenApi>) => ({
    attacks: createEndpointAttacks({
      campaign,
      document,
      existingValues: DEMO_VALUES,
      credentials,
    }),
    checkResponse: createResponseCheck(document),
  })
  const createCallerAttacks = (name: string, token: string) =>
    createGraphqlAttacks(baseUrl, { name, authorization: `Bearer ${token}` })
  return [
    {
      name: 'developer API',
      share: 0.5,
      url: baseUrl,
      ...createServerAttacks('developer API', await readApiDocument(baseUrl)),
    },
    {
      name: 'sign-in server',
      share: 0.2,
      url: authUrl,
      ...createServerAttacks('sign-in server', await readSignInDocument(authUrl)),
    },
    {
      name: 'GraphQL as an API key',
      share: 0.15,
      url: baseUrl,
      attacks: await createCallerAttacks('an API key', apiKey),
    },
    {
      name: 'GraphQL as a user',
      share: 0.15,
      url: baseUrl,
      attacks: await createCallerAttacks('a user', userToken),
      signInAgain: async () => ({ authorization: `Bearer ${await createAccount(baseUrl)}` }),
    },
  ]
}

/** Values of the demo data, by field name. */
const DEMO_VALUES = {
  app_id: [
    'app_staging_00000000000000000000000000000001',
    'app_b5bf70a63e4ecd0be5f1b754b6675728',
    'rp_1cf5c1eeff2cad12',
  ],
  protocol_version: ['3.0', '4.0'],
  nonce: ['0x1', '7'],
  session_id: ['', `session_${'0'.repeat(63)}101${'0'.repeat(62)}`],
  environment: ['production', 'staging', 'sandbox'],
  id: [
    'app_staging_00000000000000000000000000000001',
    'rp_1cf5c1eeff2cad12',
    'action_00000000000000000000000000000001',
  ],
  rp_id: ['rp_1cf5c1eeff2cad12'],
  client_id: ['app_staging_00000000000000000000000000000001'],
  action: ['vote', ''],
  action_id: ['wid_staging_0fa2dbde7735834e560fb5ad13146f0c'],
  verification_level: ['orb', 'device'],
  scope: ['openid', 'openid email profile'],
  grant_type: ['authorization_code'],
}

import type fc from 'fast-check'
import type { z } from 'zod'
import type { Facts } from '../../packages/platform/facts.ts'
import type { Attack } from './attack.ts'
import { type AnswerJudge, describedAnswers } from './described-answers.ts'
import { describedApi, describedSignIn } from './described-api.ts'
import { endpointAttacks } from './endpoints.ts'
import { graphqlAttacks } from './graphql.ts'
import type { OpenApi } from './openapi.ts'
import { signUpSomebody } from './sign-up.ts'

/** Attacks of one kind, on the server at `url`. */
export type Campaign = {
  name: string
  /** Of all requests. */
  share: number
  url: string
  attacks: fc.Arbitrary<Attack>
  /** What else than `faultInAnswer` an answer must hold. */
  judge?: AnswerJudge
  /** Puts another account in the place of one that an attack has logged out. */
  signInAgain?: () => Promise<Authorization>
}

/** The headers with which an attack says who it is. */
export type Authorization = { authorization: string }

/** Every campaign against a platform, with credentials of everybody who has some there. */
export async function campaignsAgainst(facts: Facts, internalSecret: string): Promise<Campaign[]> {
  const { baseUrl, authUrl, apiKey } = facts
  const userToken = await signUpSomebody(baseUrl)
  const credentials = [
    `Bearer ${apiKey}`,
    `Bearer ${userToken}`,
    `Bearer ${apiKey}x`,
    `Bearer ${internalSecret}`,
    'Basic YTpi',
    'Bearer ',
  ]
  const endpoints = (campaign: string, document: z.infer<typeof OpenApi>) => ({
    attacks: endpointAttacks({ campaign, document, known: KNOWN, credentials }),
    judge: describedAnswers(document),
  })
  const graphql = (name: string, token: string) =>
    graphqlAttacks(baseUrl, { name, authorization: `Bearer ${token}` })
  return [
    {
      name: 'developer API',
      share: 0.5,
      url: baseUrl,
      ...endpoints('developer API', await describedApi(baseUrl)),
    },
    {
      name: 'sign-in server',
      share: 0.2,
      url: authUrl,
      ...endpoints('sign-in server', await describedSignIn(authUrl)),
    },
    {
      name: 'GraphQL as an API key',
      share: 0.15,
      url: baseUrl,
      attacks: await graphql('an API key', apiKey),
    },
    {
      name: 'GraphQL as a user',
      share: 0.15,
      url: baseUrl,
      attacks: await graphql('a user', userToken),
      signInAgain: async () => ({ authorization: `Bearer ${await signUpSomebody(baseUrl)}` }),
    },
  ]
}

/** Values that exist in the demo data, by the name of the field. */
const KNOWN = {
  app_id: ['app_staging_00000000000000000000000000000001', 'app_b5bf70a63e4ecd0be5f1b754b6675728'],
  client_id: ['app_staging_00000000000000000000000000000001'],
  action: ['vote', ''],
  action_id: ['wid_staging_0fa2dbde7735834e560fb5ad13146f0c'],
  verification_level: ['orb', 'device'],
  scope: ['openid', 'openid email profile'],
  grant_type: ['authorization_code'],
}

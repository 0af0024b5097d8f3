import { z } from 'zod'
import {
  booleanSetting,
  fromVariable,
  textSetting,
  webAddressSetting,
  wordSetting,
} from './setting.ts'

/** The settings that decide the role of a client. */
export const ACCESS_SETTINGS = {
  adminSecret: fromVariable(
    'HASURA_GRAPHQL_ADMIN_SECRET',
    'The secret of admins. Without it, every client is an admin',
    z.string().nullable().default(null),
    'HASURA_GRAPHQL_ACCESS_KEY',
  ),
  unauthorizedRole: fromVariable(
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE',
    'The role of clients that send neither a secret nor a token',
    textSetting().nullable().default(null),
  ),
  authHook: fromVariable(
    'HASURA_GRAPHQL_AUTH_HOOK',
    "The webhook that returns a client's role and session variables",
    webAddressSetting().nullable().default(null),
  ),
  authHookMode: fromVariable(
    'HASURA_GRAPHQL_AUTH_HOOK_MODE',
    "The method of the webhook's request: `GET` sends the client's headers as headers, `POST` as JSON",
    wordSetting(['GET', 'POST']).default('GET'),
    'HASURA_GRAPHQL_AUTH_HOOK_TYPE',
  ),
  authHookSendRequestBody: fromVariable(
    'HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY',
    "With `POST`, also send the client's GraphQL request to the webhook",
    booleanSetting().default(true),
  ),
  jwtSecret: fromVariable(
    'HASURA_GRAPHQL_JWT_SECRET',
    'How tokens are verified: a JSON object with `type` and `key`, or `jwk_url`',
    textSetting().nullable().default(null),
  ),
  jwtSecrets: fromVariable(
    'HASURA_GRAPHQL_JWT_SECRETS',
    'Several ways to verify tokens: a JSON list of such objects, with different headers or issuers',
    textSetting().nullable().default(null),
  ),
  enableAllowlist: fromVariable(
    'HASURA_GRAPHQL_ENABLE_ALLOWLIST',
    'Answer only operations on the allow list, except for admins',
    booleanSetting().default(false),
  ),
}

import {
  type RESPONSE_TYPES,
  RESPONSE_TYPES_OF_GRANT,
} from '../../../oidc/clients/response-types.ts'

export const GRANT_TYPES_IN_WORDS = {
  authorization_code:
    'Your server exchanges a code and its secret for tokens. A public client uses PKCE instead of the secret. Tokens never appear in an address.',
  implicit: 'Your page gets tokens in its address. It works without a server, but a code is safer.',
} as const

/** Describes what a website receives for each response type. */
export const RESPONSE_TYPES_IN_WORDS = {
  code: 'A code to exchange for tokens. Most libraries use this type.',
  id_token: 'An ID token for your page, without a code. There is no access token.',
  'id_token token': 'An ID token and an access token for your page, without a code.',
  'code id_token': 'An ID token for your page, and a code for your server.',
  'code token': 'An access token for your page, and a code for your server.',
  'code id_token token':
    'An ID token and an access token for your page, and a code for your server.',
} as const satisfies Record<(typeof RESPONSE_TYPES)[number], string>

/** Names the grant types that allow a response type, such as "implicit or hybrid". */
export function grantTypesInWords(responseType: string): string {
  return Object.entries(RESPONSE_TYPES_OF_GRANT)
    .filter(([, types]) => types.some((type) => type === responseType))
    .map(([grant]) => grant)
    .join(' or ')
}

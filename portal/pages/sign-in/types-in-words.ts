import {
  type RESPONSE_TYPES,
  RESPONSE_TYPES_OF_GRANT,
} from '../../../oidc/clients/response-types.ts'

/** What each grant type means for a website. */
export const GRANT_TYPES_IN_WORDS = {
  authorization_code:
    'Your server exchanges a code for tokens with its secret, or a public client does with PKCE. No token passes through an address.',
  implicit:
    'Tokens come to the page through its address. For pages that have no server; with a code they are safer.',
} as const

/** What a website gets back for each response type. */
export const RESPONSE_TYPES_IN_WORDS = {
  code: 'A code, to be exchanged for tokens. What most libraries ask for.',
  id_token: 'Who signed in, at once to the page. There is no access token.',
  'id_token token': 'Who signed in and an access token, at once to the page.',
  'code id_token': 'Who signed in, at once to the page, and a code for your server.',
  'code token': 'An access token, at once to the page, and a code for your server.',
  'code id_token token':
    'Who signed in and an access token, at once to the page, and a code for your server.',
} as const satisfies Record<(typeof RESPONSE_TYPES)[number], string>

/** The grant types with which a client registers a response type, such as "implicit or hybrid". */
export function registeredWith(responseType: string): string {
  return Object.entries(RESPONSE_TYPES_OF_GRANT)
    .filter(([, types]) => types.some((type) => type === responseType))
    .map(([grant]) => grant)
    .join(' or ')
}

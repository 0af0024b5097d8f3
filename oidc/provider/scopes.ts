/** The scopes that we know; others are ignored (OpenID Connect Core 3.1.2.1). */
export const SCOPES = ['openid', 'email', 'profile']

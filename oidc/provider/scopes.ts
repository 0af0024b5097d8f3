/** The supported scopes. Other scopes are ignored (OpenID Connect Core 3.1.2.1). */
export const SCOPES = ['openid', 'email', 'profile']

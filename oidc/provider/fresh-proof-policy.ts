import { errors, interactionPolicy } from 'oidc-provider'
import { requireValue } from '../../lib/runtime/require-value.ts'

/**
 * Makes oidc-provider require a proof that was made for this authorization request, and not ask for separate consent.
 */
export function freshProofPolicy() {
  const { Check, Prompt, base } = interactionPolicy
  const policy = base()
  policy.remove('consent')
  // Apps may request these prompts. They need no checks, because with the proof a person consents and chooses an
  // account.
  for (const name of ['consent', 'select_account']) {
    const prompt = new Prompt({ name, requestable: true })
    prompt.checks.clear()
    policy.add(prompt)
  }
  const login = requireValue(policy.get('login'), 'the login prompt of oidc-provider')
  login.checks.clear()
  login.checks.add(
    new Check('fresh_proof', 'a fresh proof is required', 'login_required', (ctx) => {
      if (!ctx.oidc.requestParamOIDCScopes.has('openid'))
        throw new errors.InvalidScope('scope must include openid', 'openid')
      // oidc-provider checks the redirect URI only when the sign-in begins; the client may have removed it since
      // then.
      const { client, params } = ctx.oidc
      const { redirect_uri } = requireValue(params, 'the parameters')
      if (!requireValue(client, 'the client').redirectUriAllowed(String(redirect_uri)))
        throw new errors.InvalidRedirectUri()
      return ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
    }),
  )
  return policy
}

import type { RequestHandler } from 'express'
import { ApiError } from '../../lib/errors.ts'
import { type ProvingGroups, provenLevels } from '../../verification/proving-groups.ts'
import type { Apps } from '../clients/known-apps.ts'
import type { SignInProvider } from '../library/provider.ts'
import { renderSignIn, type Wallet } from '../page/sign-in-page.ts'
import { type CookieKeys, makeCsrfToken, requireSignIn, signalHashOf } from './sign-in.ts'
import { findOpenAction, requireApp } from './sign-in-app.ts'

export type ShowSignInServices = {
  apps: Apps
  provider: () => SignInProvider
  cookieKeys: CookieKeys
  groups: ProvingGroups
  wallet: Wallet
}

/**
 * `GET /login/:uid`: the page on which a person signs in with a proof, or reads why they cannot sign in to
 * this app.
 *
 * @throws sign_in_expired
 */
export function showSignIn(services: ShowSignInServices): RequestHandler {
  return async (request, response) => {
    const { uid, appId, site } = await requireSignIn(services, request, response)
    const app = requireApp(await services.apps.recall(appId))
    const action = findOpenAction(app)
    const { html, headers } = renderSignIn({
      uid,
      appId,
      app,
      site,
      refusal: action instanceof ApiError ? action.message : null,
      csrf: makeCsrfToken(services.cookieKeys, uid),
      signalHash: signalHashOf(uid),
      levels: provenLevels(services.groups[app.is_staging ? 'staging' : 'production']),
      wallet: services.wallet,
    })
    response.set(headers).type('html').send(html)
  }
}

import { ApiError } from '../../../lib/runtime/errors.ts'
import type { Operation } from '../../../lib/runtime/web/operation.ts'
import { type ProvingGroups, provenLevels } from '../../../lib/verification/roots/proving-groups.ts'
import type { Apps } from '../../clients/app-cache.ts'
import { renderSignIn, type Wallet } from '../../page/sign-in-page.ts'
import { chooseLanguage } from '../../page/texts.ts'
import type { SignInProvider } from '../../provider/provider.ts'
import { showErrorPage } from '../../provider/show-errors.ts'
import { exitLinks } from './exit-links.ts'
import {
  type CookieKeys,
  makeCsrfToken,
  requireCookie,
  requireSignIn,
  signalHashOf,
} from './sign-in.ts'
import { findOpenAction, requireApp } from './sign-in-app.ts'

export type ShowSignInServices = {
  apps: Apps
  provider: () => SignInProvider
  cookieKeys: CookieKeys
  groups: ProvingGroups
  wallet: Wallet
  issuer: string
}

/**
 * `GET /login/:uid`: the page where a person signs in with a proof, or reads why sign-in to this app is impossible.
 *
 * @throws sign_in_expired, cookie_missing
 */
export const showSignIn: Operation<ShowSignInServices, unknown> = {
  tag: 'Pages',
  summary: 'The page where a person signs in',
  answers: { 200: 'text/html' },
  errors: ['sign_in_expired', 'cookie_missing', 'unavailable'],
  errorPage: showErrorPage,
  handle: (services) => async (_input, request, response) => {
    await requireCookie(services, request)
    const { uid, appId, site, interaction } = await requireSignIn(services, request, response)
    const app = requireApp(await services.apps.find(appId))
    const action = findOpenAction(app)
    const { html, headers } = renderSignIn({
      uid,
      appId,
      app,
      site,
      refusal: action instanceof ApiError ? refusalOf(action) : null,
      csrf: makeCsrfToken(services.cookieKeys, uid),
      signalHash: signalHashOf(uid),
      levels: provenLevels(services.groups[app.is_staging ? 'staging' : 'production']),
      wallet: services.wallet,
      language: chooseLanguage(interaction.params.ui_locales, request),
      secondsLeft: Math.max(0, interaction.exp - Math.floor(Date.now() / 1_000)),
      ...exitLinks(services.issuer, interaction.params),
    })
    response.set(headers).type('html').send(html)
  },
}

function refusalOf({ code }: ApiError) {
  return code === 'invalid_engine' ? 'not_here' : 'switched_off'
}

import { ApiError } from '../../../lib/runtime/errors.ts'
import type { App } from '../../clients/known-apps.ts'

/** @throws sign_in_expired when the app has been removed since the sign-in began */
export function requireApp(app: App | undefined): App {
  if (!app)
    throw new ApiError('sign_in_expired', {
      detail: 'This app no longer exists. Close this page, or go back.',
    })
  return app
}

type SignInAction = NonNullable<App['action']>

/** The sign-in action of an app, or an error that says why nobody can sign in to it now. */
export function findOpenAction({ engine, action }: App): SignInAction | ApiError {
  if (engine !== 'cloud')
    return new ApiError('invalid_engine', {
      attribute: 'engine',
      detail: 'This app does not let people sign in here. Go back, and look for another way.',
    })
  return action?.status === 'active' ? action : signInIsOff()
}

/** The error while the owner of the app has switched sign-in off. */
export function signInIsOff(): ApiError {
  return new ApiError('action_inactive', {
    attribute: 'status',
    detail: 'Sign-in to this app is switched off at present. Go back, and try again later.',
  })
}

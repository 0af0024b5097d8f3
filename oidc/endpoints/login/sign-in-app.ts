import { ApiError } from '../../../lib/runtime/errors.ts'
import type { App } from '../../clients/app-cache.ts'

/** @throws sign_in_expired when the app has been removed, archived or deactivated since the sign-in began */
export function requireApp(app: App | undefined): App {
  if (!app)
    throw new ApiError('sign_in_expired', {
      detail: 'This app no longer exists. Close this page, or go back.',
    })
  return app
}

type SignInAction = NonNullable<App['action']>

/** Returns the sign-in action of an app, or the error that says why people cannot sign in to the app now. */
export function findOpenAction({ engine, action }: App): SignInAction | ApiError {
  if (engine !== 'cloud')
    return new ApiError('invalid_engine', {
      attribute: 'engine',
      detail: 'You cannot sign in to this app here. Go back, and look for another way to sign in.',
    })
  return action?.status === 'active' ? action : signInIsOff()
}

/** Creates the error for an app with sign-in switched off. */
export function signInIsOff(): ApiError {
  return new ApiError('action_inactive', {
    attribute: 'status',
    detail: 'Sign-in to this app is switched off. Go back, and try again later.',
  })
}

import type { createBrowserRouter } from 'react-router'

/** The builds of the portal that this tab has reloaded because a file was missing. */
const RELOADED_KEY = 'reloaded-builds'

type Router = ReturnType<typeof createBrowserRouter>

/** The errors of files that could not be loaded. Browsers have no common type for them. */
const missingFiles = new WeakSet<object>()

/** True if the error is of a file of the portal that could not be loaded. */
export function isMissingFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && missingFiles.has(error)
}

/**
 * Loads the next page from the server if its files are missing, since after an update of the portal they have other names.
 * Reloads once for each build of the portal, so that no tab reloads again and again. Does not reload while the user is on a
 * page, because the page may have unsaved input.
 */
export function reloadAfterUpdate(router: Router): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    missingFiles.add(payload)
    const { initialized, navigation } = router.state
    const isBetweenPages = !initialized || navigation.state !== 'idle'
    if (!(isBetweenPages && navigator.onLine && isFirstReload())) return
    const { pathname, search, hash } = navigation.location ?? location
    location.assign(pathname + search + hash)
  })
}

/** Returns whether this tab has not yet reloaded this build, and records the reload. */
function isFirstReload(): boolean {
  const build = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''
  try {
    const builds = new Set(sessionStorage.getItem(RELOADED_KEY)?.split(' '))
    if (builds.has(build)) return false
    sessionStorage.setItem(RELOADED_KEY, [...builds, build].join(' '))
    return true
  } catch {
    // Without a storage, nothing would stop a loop.
    return false
  }
}

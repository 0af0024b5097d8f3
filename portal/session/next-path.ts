import { PAGE_PATHS } from '../settings/page-paths.ts'

/**
 * Returns the path to open after the log-in: the path in `?next=` if it is on this origin.
 *
 * Parses the address as a browser does, because for a browser `//elsewhere` and `/\elsewhere` are other websites. The parsed
 * path must not begin with two slashes either, because `/.//elsewhere` becomes `//elsewhere`.
 */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next')
  const url = next === null ? null : URL.parse(next, location.origin)
  if (url?.origin !== location.origin || url.pathname.startsWith('//')) return PAGE_PATHS.home
  return url.pathname + url.search
}

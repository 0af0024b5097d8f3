import { PAGE_PATHS } from '../app/page-paths.ts'

/**
 * Where a person goes once they are logged in: the page that asked for it, if it is one of this origin.
 *
 * The address is read as a browser reads it, since `//elsewhere` and `/\elsewhere` are other websites.
 */
export function nextPath(search: string): string {
  const wanted = new URLSearchParams(search).get('next')
  const url = wanted === null ? null : URL.parse(wanted, location.origin)
  if (url?.origin !== location.origin) return PAGE_PATHS.home
  return url.pathname + url.search
}

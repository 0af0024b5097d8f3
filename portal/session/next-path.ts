import { PAGE_PATHS } from '../settings/page-paths.ts'

/**
 * The path to which a person goes after the log-in: the page that asked for it, if that page has this origin.
 *
 * The address is parsed as a browser parses it, since `//elsewhere` and `/\elsewhere` are other websites. The parsed path
 * is an address once more, so it must not begin with two slashes either, as that of `/.//elsewhere` does.
 */
export function nextPath(search: string): string {
  const wanted = new URLSearchParams(search).get('next')
  const url = wanted === null ? null : URL.parse(wanted, location.origin)
  if (url?.origin !== location.origin || url.pathname.startsWith('//')) return PAGE_PATHS.home
  return url.pathname + url.search
}

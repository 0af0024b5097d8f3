import type { Root } from './root-lookup.ts'

/**
 * Whether a group's root may still be used. Its age counts from when it was superseded, so the latest root is never
 * too old.
 *
 * @param now seconds since the epoch
 */
export function judgeRootAge(
  root: Root,
  { now, maxAgeSeconds }: { now: number; maxAgeSeconds: number },
): 'fresh' | 'unknown' | 'too_old' {
  if (!root.known) return 'unknown'
  if (root.supersededAt === null) return 'fresh'
  return now - root.supersededAt > maxAgeSeconds ? 'too_old' : 'fresh'
}

import type { InfiniteData } from '@tanstack/react-query'
import type { PeopleQuery } from '../../graphql/generated/graphql.ts'

export type Person = PeopleQuery['nullifier'][number]

export const PEOPLE_PAGE_ROWS = 50
/** The most pages of people that the page of an action keeps and draws. If the user shows more, the newest page is dropped. */
export const MAX_PEOPLE_PAGES = 4

/** The pages of people, each with the last person of the page before; null for the newest page. */
export type PeoplePages = InfiniteData<Person[]>

/** The most people that the list keeps. */
export const MAX_PEOPLE = MAX_PEOPLE_PAGES * PEOPLE_PAGE_ROWS

/**
 * Adds the newest people to a list that begins with the newest people. The list then begins with exactly `newest`, so no person
 * appears twice. Keeps at most `MAX_PEOPLE` people. If earlier people can be shown, all pages stay full, since the next page
 * begins after the last person.
 *
 * @param newest the newest people: `MAX_PEOPLE`, or all since some time before the first person of the list
 */
export function mergePeople(list: PeoplePages, newest: readonly Person[]): PeoplePages {
  const hashes = new Set(newest.map(({ nullifier_hash }) => nullifier_hash))
  const listed = list.pages.flat()
  const older = listed.filter(({ nullifier_hash }) => !hashes.has(nullifier_hash))
  const people = [...newest, ...older]
  const hasEarlier = list.pages.at(-1)?.length === PEOPLE_PAGE_ROWS
  const keptPeople = people.slice(0, hasEarlier ? listed.length : MAX_PEOPLE)
  const pages = Array.from({ length: Math.ceil(keptPeople.length / PEOPLE_PAGE_ROWS) }, (_, page) =>
    keptPeople.slice(page * PEOPLE_PAGE_ROWS, (page + 1) * PEOPLE_PAGE_ROWS),
  )
  if (pages.length === 0) return { pages: [[]], pageParams: [null] }
  return { pages, pageParams: pages.map((_, page) => pages[page - 1]?.at(-1) ?? null) }
}

/** Returns how many of the newest people come before all listed people. */
export function countNew(list: PeoplePages, newest: readonly Person[]): number {
  const hashes = new Set(list.pages.flat().map(({ nullifier_hash }) => nullifier_hash))
  const firstListed = newest.findIndex(({ nullifier_hash }) => hashes.has(nullifier_hash))
  return firstListed === -1 ? newest.length : firstListed
}

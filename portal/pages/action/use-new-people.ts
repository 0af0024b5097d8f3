import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { LatestPersonDocument, PeopleDocument } from '../../graphql/generated/graphql.ts'
import { pace } from '../../graphql/pace.ts'
import { request } from '../../graphql/request.ts'
import { useSubscription } from '../../graphql/use-subscription.ts'
import { teamStatsKey } from '../statistics/team-stats-query.ts'
import { peopleQuery } from './action.ts'
import { countNew, MAX_PEOPLE, mergePeople, type PeoplePages } from './merge-people.ts'

/** The shortest time between two updates of the list. */
const LIST_REST_MS = 500
/** The shortest time between two counts, because counting a month is expensive. */
const FIGURES_REST_MS = 5_000
/** A person is stored with the time when their transaction began. So a person who appears later may have an earlier time. */
const LATE_MS = 5_000

/** The people who verified while the page was open. */
export type NewPeople = {
  /** The nullifiers of those whom the list shows. */
  hashes: ReadonlySet<string>
  count: number
  /** True if there were more people at once than the list keeps, so there may be more than `count`. */
  isMore: boolean
}

const NONE: NewPeople = { hashes: new Set(), count: 0, isMore: false }

/**
 * Adds people who verify to the top of the list, and counts the figures again. The subscription sends only the newest person,
 * also after each reconnect. If the list lacks this person, it reads the people since its first person. So a reconnect neither
 * loses nor repeats people.
 *
 * @param list the list of all people; undefined until it is read
 */
export function useNewPeople(action_id: string, list: PeoplePages | undefined): NewPeople {
  const queryClient = useQueryClient()
  const [newPeople, setNewPeople] = useState(NONE)
  const [latest, setLatest] = useState<{ hash: string } | null>(null)
  const [recount] = useState(() =>
    pace(
      () => queryClient.invalidateQueries({ queryKey: teamStatsKey(action_id) }),
      FIGURES_REST_MS,
    ),
  )
  const [update] = useState(() =>
    pace(async () => {
      const { queryKey } = peopleQuery(action_id)
      const before = queryClient.getQueryData(queryKey)
      if (!before || !beginsWithNewest(before)) return
      const newest = await readNewest(action_id, before)
      const old = queryClient.getQueryData(queryKey)
      if (!old || !beginsWithNewest(old)) return
      const merged = mergePeople(old, newest)
      queryClient.setQueryData(queryKey, merged)
      const count = countNew(old, newest)
      if (count === 0) return
      setNewPeople((earlier) => addNew(earlier, { old, merged, count }))
      recount()
    }, LIST_REST_MS),
  )
  useSubscription(LatestPersonDocument, { action_id }, ({ nullifier: [person] }) =>
    setLatest(person ? { hash: person.nullifier_hash } : null),
  )
  useEffect(() => {
    if (!latest || !list || !beginsWithNewest(list) || hashesOf(list).has(latest.hash)) return
    update()
  }, [latest, list, update])
  useEffect(() => {
    if (!latest) return
    const timer = setTimeout(update, LATE_MS)
    return () => clearTimeout(timer)
  }, [latest, update])
  return newPeople
}

/** Returns whether the list begins with the newest people, not with a later page. */
export function beginsWithNewest({ pageParams }: PeoplePages): boolean {
  return pageParams[0] === null
}

async function readNewest(action_id: string, { pages }: PeoplePages) {
  const first = pages[0]?.[0]
  const where = {
    action_id: { _eq: action_id },
    ...(first && { created_at: { _gte: earlierBy(LATE_MS, first.created_at) } }),
  }
  return (await request(PeopleDocument, { where, limit: MAX_PEOPLE })).nullifier
}

function earlierBy(ms: number, time: string): string {
  return new Date(Date.parse(time) - ms).toISOString()
}

function hashesOf({ pages }: PeoplePages): Set<string> {
  return new Set(pages.flat().map(({ nullifier_hash }) => nullifier_hash))
}

type Merge = { old: PeoplePages; merged: PeoplePages; count: number }

function addNew(earlier: NewPeople, { old, merged, count }: Merge): NewPeople {
  const oldHashes = hashesOf(old)
  const hashes = [...hashesOf(merged)].filter(
    (hash) => earlier.hashes.has(hash) || !oldHashes.has(hash),
  )
  return {
    hashes: new Set(hashes),
    count: earlier.count + count,
    isMore: earlier.isMore || count === MAX_PEOPLE,
  }
}

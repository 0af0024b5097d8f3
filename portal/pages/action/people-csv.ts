import { type CsvFile, readPages } from '../../components/list/csv.ts'
import { PeopleDocument, type PeopleQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { type NullifierSearch, whereNullifier } from './parse-nullifier.ts'

type Person = PeopleQuery['nullifier'][number]

/** The people of an action that the search finds; all people if there is no search. */
export function peopleCsv(action_id: string, search: NullifierSearch | null): CsvFile {
  const readRows = async (last: Person | null, limit: number) => {
    const where = {
      action_id: { _eq: action_id },
      ...(search && { _and: [whereNullifier(search)] }),
      ...(last && {
        created_at: { _lte: last.created_at },
        _or: [
          { created_at: { _lt: last.created_at } },
          { nullifier_hash: { _lt: last.nullifier_hash } },
        ],
      }),
    }
    return (await request(PeopleDocument, { where, limit })).nullifier
  }
  return {
    name: 'people.csv',
    header: ['Nullifier', 'Verifications', 'First verified'],
    async *pages() {
      for await (const people of readPages(readRows))
        yield people.map(({ nullifier_hash, uses, created_at }) => [
          nullifier_hash,
          String(uses),
          created_at,
        ])
    },
  }
}

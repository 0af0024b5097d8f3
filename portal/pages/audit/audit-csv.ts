import { type CsvFile, readPages } from '../../components/list/csv.ts'
import { readNamesOf } from './audit-names.ts'
import { type Entry, type Filters, readAudit } from './audit-query.ts'
import { actorOf, columnInWords, deedInWords, thingOf } from './audit-words.ts'
import { parseChanges } from './changes.ts'
import { changeInWords } from './value-in-words.ts'

/** The changes to a team that the filters show. */
export function auditCsv(team_id: string, filters: Filters): CsvFile {
  return {
    name: 'audit.csv',
    header: ['When', 'Who', 'Id of who', 'What', 'Name', 'Id', 'Changes'],
    async *pages() {
      const readRows = (last: Entry | null, limit: number) =>
        readAudit({ team_id, filters, last, limit })
      for await (const entries of readPages(readRows)) yield await rowsOf(team_id, entries)
    },
  }
}

async function rowsOf(team_id: string, entries: readonly Entry[]): Promise<string[][]> {
  const names = await readNamesOf(team_id, entries)
  return entries.map((entry) => [
    entry.created_at,
    actorOf(entry, names).name,
    entry.actor_id ?? '',
    deedInWords(entry),
    thingOf(entry, names).name,
    entry.subject_id,
    Object.entries(parseChanges(entry.changes))
      .map(
        ([column, values]) => `${columnInWords(column)}: ${changeInWords(column, values, names)}`,
      )
      .join('\n'),
  ])
}

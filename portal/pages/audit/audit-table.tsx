import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { AuditChanges } from './audit-changes.tsx'
import { type NamedThing, useAuditNames } from './audit-names.ts'
import type { Entry } from './audit-query.ts'
import { actorOf, deedInWords, thingOf } from './audit-words.ts'

/** Lists changes, newest first. */
export function AuditTable({ entries }: { entries: readonly Entry[] }) {
  const names = useAuditNames(entries)
  const columns: Column<Entry>[] = [
    { title: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      title: 'Who',
      cell: (entry) => <ThingName thing={actorOf(entry, names)} id={entry.actor_id} />,
    },
    {
      title: 'What',
      cell: (entry) => (
        <Text size="sm" component="div" maw="18rem">
          {deedInWords(entry)} <ThingName thing={thingOf(entry, names)} id={entry.subject_id} />
        </Text>
      ),
    },
    {
      title: 'Changes',
      cell: ({ changes }) => <AuditChanges changes={changes} names={names} />,
    },
  ]
  return (
    <DataTable
      rows={entries}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={760}
      spacing="xs"
    />
  )
}

/** A name that links to the page of its thing. The tooltip has the id, since names are not unique. */
function ThingName({ thing: { name, path }, id }: { thing: NamedThing; id: string | null }) {
  const props = { size: 'sm', title: id ?? undefined, style: { overflowWrap: 'anywhere' } } as const
  if (path === undefined)
    return (
      <Text span {...props}>
        {name}
      </Text>
    )
  return (
    <Anchor component={Link} to={path} {...props}>
      {name}
    </Anchor>
  )
}

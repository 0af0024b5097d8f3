import { Group, Select, TextInput } from '@mantine/core'
import { type Filters, OPERATOR, PLATFORM } from './audit-query.ts'
import { SUBJECTS } from './audit-words.ts'
import { useActors } from './use-actors.ts'

type Props = { filters: Filters; onChange(filters: Partial<Filters>): void }

/** The filters by person, subject and days. */
export function AuditFilterFields({ filters: { person, subject, from, to }, onChange }: Props) {
  return (
    <Group align="flex-end">
      <Select
        label="Person"
        w={220}
        placeholder="Everyone"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Show the changes of everyone' }}
        data={usePeopleChoices(person)}
        value={person || null}
        onChange={(value) => onChange({ person: value ?? '' })}
      />
      <Select
        label="Subject"
        w={200}
        placeholder="Everything"
        clearable
        clearButtonProps={{ 'aria-label': 'Show everything' }}
        data={SUBJECTS}
        value={subject || null}
        onChange={(value) => onChange({ subject: value ?? '' })}
      />
      <TextInput
        type="date"
        label="From"
        value={from}
        max={to || undefined}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To"
        value={to}
        min={from || undefined}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
    </Group>
  )
}

const OTHERS = [
  { value: PLATFORM, label: 'The platform' },
  { value: OPERATOR, label: 'The operator' },
]

/** Returns everyone who can be chosen, and the chosen person, who may have left the team. */
function usePeopleChoices(chosen: string) {
  const { members, keys } = useActors()
  const groups = [
    { group: 'Members', items: members },
    { group: 'API keys', items: keys },
    { group: 'Others', items: OTHERS },
  ]
  const isListed = groups.some(({ items }) => items.some(({ value }) => value === chosen))
  return chosen === '' || isListed
    ? groups
    : [...groups, { group: 'Former', items: [{ value: chosen, label: chosen }] }]
}

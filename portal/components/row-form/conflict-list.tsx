import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Users } from 'lucide-react'
import type { FieldWords } from './field-words.ts'
import type { RowForm } from './use-row-form.ts'

type ConflictListProps<Values extends Record<string, unknown>, Row, Columns> = {
  rowForm: RowForm<Values, Row, Columns>
  words: FieldWords<Values>
}

/** Shows the fields that another user has changed as well, with both values. The user chooses a value for each field. */
export function ConflictList<Values extends Record<string, unknown>, Row, Columns>({
  rowForm: { form, conflicts, stored, keepMine, takeTheirs },
  words,
}: ConflictListProps<Values, Row, Columns>) {
  if (conflicts.length === 0) return null
  return (
    <Alert color="orange" role="alert" icon={<Users aria-hidden />} title="Changed by another user">
      <Stack>
        <Text>
          Another user has saved other values since you opened this form. Choose a value, then save
          again.
        </Text>
        {conflicts.map((name) => {
          const { label, describe = describeValue } = words[name]
          return (
            <Stack key={name} gap={4} role="group" aria-label={label}>
              <Text fw={650}>{label}</Text>
              <Value text={`Your value: ${describe(form.getValues()[name])}`} />
              <Value text={`Saved value: ${describe(stored[name])}`} />
              <Group gap="xs">
                <Button variant="default" onClick={() => keepMine(name)}>
                  Keep your value
                </Button>
                <Button variant="default" onClick={() => takeTheirs(name)}>
                  Take the saved value
                </Button>
              </Group>
            </Stack>
          )
        })}
      </Stack>
    </Alert>
  )
}

/** Shows the beginning of a value, since a description may be long. */
function Value({ text }: { text: string }) {
  return (
    <Text lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  )
}

function describeValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return value === '' ? 'empty' : String(value)
}

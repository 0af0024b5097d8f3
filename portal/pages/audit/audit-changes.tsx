import { Stack, Text } from '@mantine/core'
import { z } from 'zod'

/** What became of each column; a row that was made has no old values, and one that was removed no new ones. */
const Changes = z.record(z.string(), z.object({ old: z.unknown(), new: z.unknown() }).partial())

/** The columns that a change was about, one a line. */
export function AuditChanges({ changes }: { changes: unknown }) {
  const columns = Object.entries(Changes.parse(changes))
  return (
    <Stack gap={2}>
      {columns.map(([column, values]) => (
        <Text key={column} size="sm">
          <Text span c="dimmed" inherit>
            {column.replaceAll('_', ' ')}:{' '}
          </Text>
          {[values.old, values.new]
            .filter((value) => value !== undefined)
            .map(shown)
            .join(' → ') || '(secret)'}
        </Text>
      ))}
    </Stack>
  )
}

function shown(value: unknown): string {
  if (value === '' || value === null) return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

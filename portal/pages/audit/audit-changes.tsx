import { Stack, Text } from '@mantine/core'
import { z } from 'zod'

/** The old and new value per column. An inserted row has no old values, a deleted row no new values. */
const Changes = z.record(z.string(), z.object({ old: z.unknown(), new: z.unknown() }).partial())

/** Lists the changed columns, each on a line. */
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
            .map(formatValue)
            .join(' → ') || '(secret)'}
        </Text>
      ))}
    </Stack>
  )
}

function formatValue(value: unknown): string {
  if (value === '' || value === null) return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

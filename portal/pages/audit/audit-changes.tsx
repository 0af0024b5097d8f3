import { Stack, Text } from '@mantine/core'
import type { Names } from './audit-names.ts'
import { columnInWords } from './audit-words.ts'
import { parseChanges } from './changes.ts'
import { changeInWords } from './value-in-words.ts'

/** Lists the changed columns, each on a line. */
export function AuditChanges({ changes, names }: { changes: unknown; names: Names }) {
  return (
    <Stack gap={2} maw="26rem">
      {Object.entries(parseChanges(changes)).map(([column, values]) => (
        <Text key={column} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Text span c="dimmed" inherit>
            {columnInWords(column)}:{' '}
          </Text>
          {changeInWords(column, values, names)}
        </Text>
      ))}
    </Stack>
  )
}

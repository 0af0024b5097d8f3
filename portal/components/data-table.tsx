import { Group, Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

export type Column<Row> = {
  title: string
  cell(row: Row): ReactNode
  /** True for a column of buttons. Its title is for screen readers only, and its buttons are aligned to the right. */
  hasButtons?: boolean
  /** True for a column of numbers, which are aligned to the right. */
  isNumber?: boolean
}

type DataTableProps<Row> = {
  rows: readonly Row[]
  rowKey(row: Row): string
  columns: readonly Column<Row>[]
  /** The minimum width, in pixels. On a narrower screen, the table scrolls sideways. */
  minWidth: number
  spacing?: 'xs' | 'sm'
}

/** A table with a row for each object. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, columns, minWidth, spacing = 'sm' } = props
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table verticalSpacing={spacing}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, hasButtons, isNumber = false }) => (
              <Table.Th key={title} ta={isNumber ? 'right' : undefined}>
                {hasButtons ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ title, cell, hasButtons, isNumber = false }) => (
                <Table.Td key={title} ta={isNumber ? 'right' : undefined}>
                  {hasButtons ? (
                    <Group justify="flex-end" gap="xs" wrap="nowrap">
                      {cell(row)}
                    </Group>
                  ) : (
                    cell(row)
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

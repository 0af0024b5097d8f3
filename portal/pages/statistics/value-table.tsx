import { Table } from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import type { Bar, Series } from './chart-data.ts'

/** The values of a chart as a table, closed at first. Spans without people have no row. */
export function ValueTable({ bars, series }: { bars: readonly Bar[]; series: readonly Series[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const follow = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) =>
    setIsOpen(currentTarget.open)
  return (
    <details onToggle={follow}>
      <summary>Table of values</summary>
      {isOpen && (
        <Table.ScrollContainer minWidth={120 * (series.length + 1)}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>From (UTC)</Table.Th>
                {series.map(({ id, label }) => (
                  <Table.Th key={id}>{label}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {bars
                .filter((bar) => series.some(({ id }) => bar[id] !== 0))
                .map((bar) => (
                  <Table.Tr key={bar.span}>
                    <Table.Th scope="row">{bar.span}</Table.Th>
                    {series.map(({ id }) => (
                      <Table.Td key={id}>{bar[id]?.toLocaleString('en')}</Table.Td>
                    ))}
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </details>
  )
}

import { ColorSwatch, Group, Text } from '@mantine/core'
import { CutText } from '../../components/cut-text.tsx'
import type { Series } from './chart-data.ts'
import { colorAt } from './series-colors.ts'

/** The actions of the chart with their colours and their number of people, busiest first. */
export function Legend({ series }: { series: readonly Series[] }) {
  if (series.length < 2) return null
  return (
    <Group component="ul" aria-label="Actions" gap="xs" m={0} p={0}>
      {series.map(({ id, label, persons }, index) => (
        <Group component="li" key={id} gap={6} wrap="nowrap" maw="100%">
          <ColorSwatch color={colorAt(index)} size={12} withShadow={false} aria-hidden />
          <CutText text={label} size="sm" maw="16rem" />
          <Text span size="sm" c="dimmed">
            {persons.toLocaleString('en')}
          </Text>
        </Group>
      ))}
    </Group>
  )
}

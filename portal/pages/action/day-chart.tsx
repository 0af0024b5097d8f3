import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { Day } from './fill-days.ts'

export function DayChart({ days, height }: { days: readonly Day[]; height: number }) {
  return (
    <BarChart
      h={height}
      data={[...days]}
      dataKey="day"
      series={[{ name: 'persons', label: 'People', color: 'var(--accent)' }]}
      yAxisProps={{ allowDecimals: false, width: 40 }}
      xAxisProps={{ minTickGap: 40 }}
      gridAxis="x"
      tickLine="none"
    />
  )
}

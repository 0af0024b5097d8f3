import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { StackedDay } from './stack-days.ts'

/** The colours of the actions. Colours next to each other also differ in lightness, for colour-blind users. */
const COLORS = [
  'var(--accent)',
  'cyan.5',
  'grape.8',
  'lime.6',
  'pink.8',
  'blue.4',
  'orange.8',
  'green.5',
  'violet.9',
  'gray.5',
] as const

type StackedChartProps = {
  days: readonly StackedDay[]
  actions: readonly { id: string; label: string }[]
  height: number
}

export function StackedChart({ days, actions, height }: StackedChartProps) {
  return (
    <BarChart
      h={height}
      type="stacked"
      data={[...days]}
      dataKey="day"
      series={actions.map(({ id, label }, index) => ({
        name: id,
        label,
        color: COLORS[index % COLORS.length] ?? COLORS[0],
      }))}
      withLegend={actions.length > 1}
      yAxisProps={{ allowDecimals: false, width: 40 }}
      xAxisProps={{ minTickGap: 40 }}
      gridAxis="x"
      tickLine="none"
    />
  )
}

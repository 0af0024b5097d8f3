import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { Bar, Series } from './chart-data.ts'
import { colorAt } from './series-colors.ts'

type PeopleChartProps = { bars: readonly Bar[]; series: readonly Series[]; height: number }

/** A bar for each span, with a part for each series. Screen readers read the table of the values instead. */
export function PeopleChart({ bars, series, height }: PeopleChartProps) {
  return (
    <div role="img" aria-label="Bar chart of the people in the table of values">
      <BarChart
        h={height}
        type="stacked"
        data={[...bars]}
        dataKey="span"
        series={series.map(({ id, label }, index) => ({
          name: id,
          label,
          color: colorAt(index),
        }))}
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{ allowDecimals: false, width: 48 }}
        xAxisProps={{ minTickGap: 40 }}
        valueFormatter={(value) => value.toLocaleString('en')}
        gridAxis="x"
        tickLine="none"
      />
    </div>
  )
}

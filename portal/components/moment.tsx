import { Text, Tooltip } from '@mantine/core'

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Shows a time in the user's time zone. The tooltip shows the exact value. */
export function Moment({ at }: { at: string }) {
  return (
    <Tooltip label={at}>
      <Text component="time" dateTime={at} inherit style={{ whiteSpace: 'nowrap' }}>
        {SHORT.format(new Date(at))}
      </Text>
    </Tooltip>
  )
}

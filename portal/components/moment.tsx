import { Text, Tooltip } from '@mantine/core'

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** When something was, in the person's own time; the exact moment when pointed at. */
export function Moment({ at }: { at: string }) {
  return (
    <Tooltip label={at}>
      <Text component="time" dateTime={at} inherit style={{ whiteSpace: 'nowrap' }}>
        {SHORT.format(new Date(at))}
      </Text>
    </Tooltip>
  )
}

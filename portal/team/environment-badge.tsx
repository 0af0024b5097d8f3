import { Badge } from '@mantine/core'

/** Shows whether the people of an app are simulated or real. */
export function EnvironmentBadge({ isStaging }: { isStaging: boolean }) {
  return (
    <Badge variant="light" color={isStaging ? 'gray' : 'accent'} style={{ flexShrink: 0 }}>
      {isStaging ? 'Staging' : 'Production'}
    </Badge>
  )
}

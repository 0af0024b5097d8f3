import { Alert, Button, Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

type LoadedProps<Data> = {
  query: UseQueryResult<Data>
  /** The number of placeholder lines while the data loads. */
  lines?: number
  children(data: Data): ReactNode
}

/** Shows the data of a query, placeholder lines while it loads, or its error with a button to try again. */
export function Loaded<Data>({ query, lines = 4, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <LoadFailure error={query.error} onRetry={query.refetch} />
  return (
    <Stack role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={line} height={36} />
      ))}
    </Stack>
  )
}

/** Says why something could not be loaded, with a button to try again. */
export function LoadFailure({ error, onRetry }: { error: Error; onRetry(): unknown }) {
  return (
    <Alert color="red" icon={<TriangleAlert aria-hidden />} title="This could not be loaded">
      <Stack align="flex-start">
        {error.message}
        <Button variant="default" onClick={() => onRetry()}>
          Try again
        </Button>
      </Stack>
    </Alert>
  )
}

import { Alert, Button, Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

type LoadedProps<Data> = {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** The number of placeholder lines while the data loads. */
  lines?: number
  children(data: Data): ReactNode
}

/**
 * Shows the data of a query, placeholder lines while it loads, or its error with a button to try again. If reading the data
 * again fails, shows the error above the old data.
 */
export function Loaded<Data>({ query, lines = 4, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  if (data === undefined)
    return error ? <LoadFailure error={error} onRetry={refetch} /> : <Placeholder lines={lines} />
  return (
    <>
      {error && <LoadFailure title="This may be out of date" error={error} onRetry={refetch} />}
      {children(data)}
    </>
  )
}

/** Lines in place of data that is loading. */
function Placeholder({ lines }: { lines: number }) {
  return (
    <Stack role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={line} height={36} />
      ))}
    </Stack>
  )
}

type LoadFailureProps = { title?: string; error: Error; onRetry(): unknown }

/** Says why something could not be loaded, with a button to try again. */
export function LoadFailure({
  title = 'This could not be loaded',
  error,
  onRetry,
}: LoadFailureProps) {
  return (
    <Alert color="red" mb="md" icon={<TriangleAlert aria-hidden />} title={title}>
      <Stack align="flex-start">
        {error.message}
        <Button variant="default" onClick={() => onRetry()}>
          Try again
        </Button>
      </Stack>
    </Alert>
  )
}

import { Button, Group } from '@mantine/core'

type MoreButtonProps = {
  label?: string
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown }
}

/** A button that loads the next page of a list. Hidden if there is no next page. */
export function MoreButton({ query, label = 'Show more' }: MoreButtonProps) {
  if (!query.hasNextPage) return null
  return (
    <Group>
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => query.fetchNextPage()}
      >
        {label}
      </Button>
    </Group>
  )
}

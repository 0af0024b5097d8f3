import { Box, Group, Skeleton, Stack } from '@mantine/core'

/** Shows placeholders while the code of the first page or the account loads, like the picture in `index.html`. */
export function FirstLoad() {
  return (
    <Stack role="status" aria-label="Loading" gap={0}>
      <Group h={56} px="md" justify="space-between" className="first-load-head">
        <Skeleton height={20} width={160} />
        <Skeleton height={26} circle />
      </Group>
      <Box p="xl" maw="60rem">
        <Skeleton height={32} width="40%" mb="xl" />
        <Stack>
          <Skeleton height={36} />
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      </Box>
    </Stack>
  )
}

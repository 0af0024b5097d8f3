import { Center, Stack, Text, Title } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type EmptyStateProps = { icon: LucideIcon; title: string; text: string; action?: ReactNode }

/** Replaces an empty list: says what the list is for and what to do first. */
export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps) {
  return (
    <Center py="xl">
      <Stack align="center" gap="xs" maw="28rem" ta="center">
        <Icon aria-hidden size={36} color="var(--ink-quiet)" />
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        {action}
      </Stack>
    </Center>
  )
}

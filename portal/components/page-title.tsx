import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

type PageTitleProps = {
  title: string
  /** A sentence about the page. */
  about?: string
  /** The page's main button. */
  action?: ReactNode
}

/** The heading of a page and the title of its tab. The heading takes the focus, so that screen readers announce the page. */
export function PageTitle({ title, about, action }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Personhood`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <Group justify="space-between" align="flex-start" mb="lg">
      <Stack gap={4} flex={1} miw="16rem">
        <Title ref={heading} order={1} size="h2" tabIndex={-1} style={{ outline: 'none' }}>
          {title}
        </Title>
        {about && <Text c="dimmed">{about}</Text>}
      </Stack>
      {action}
    </Group>
  )
}

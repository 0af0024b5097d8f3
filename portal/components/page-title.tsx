import { Group, Stack, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'

/** The names of the places that contain this page, from the inside out: the app and the team. */
const PlaceContext = createContext('')

/** Adds the name of an app or a team to the tab titles of the pages inside. */
export function TitlePlace({ name, children }: { name: string; children: ReactNode }) {
  const around = useContext(PlaceContext)
  return (
    <PlaceContext value={around === '' ? name : `${name} · ${around}`}>{children}</PlaceContext>
  )
}

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
  const place = useContext(PlaceContext)
  useEffect(() => {
    document.title = [title, place, 'Personhood'].filter((part) => part !== '').join(' · ')
  }, [title, place])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page follows, or the page gets another heading
  useEffect(() => {
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

import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'

/** A value with a button that copies it. `what` names the value for screen readers. */
export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ userSelect: 'all', overflowWrap: 'anywhere' }}>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
              onClick={copy}
            >
              {copied ? <Check size={16} /> : <Copy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}

import { ActionIcon, Code, CopyButton, Group } from '@mantine/core'
import { Check, Copy } from 'lucide-react'

/** The shortest text that is cut. */
const MIN_CUT = 20
const BEGIN = 8
const END = 6

/** Cuts a long text in the middle, such as 0x123456…abcdef. */
function cutMiddle(text: string): string {
  return text.length < MIN_CUT ? text : `${text.slice(0, BEGIN)}…${text.slice(-END)}`
}

/** A long value, cut in the middle, with a button that copies all of it. `label` names the value for screen readers. */
export function CutCopyable({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code title={text} style={{ whiteSpace: 'nowrap' }}>
        {cutMiddle(text)}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            title={copied ? 'Copied' : `Copy ${label}`}
            aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
            onClick={copy}
          >
            {copied ? <Check size={14} /> : <Copy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  )
}

import { Link } from 'wouter'
import { Page } from '../app/Page.tsx'
import { Code } from '../text/Code.tsx'
import { Empty } from '../ui/surface.tsx'

/** Delegated work. There is none before tasks exist. */
export default function TasksView() {
  return (
    <Page title="Tasks">
      <Empty title="Tasks come in a later version">
        <p>
          A task is work that Mainstem hands to a coding agent, such as Claude Code or Codex: you will see
          here what it is doing, answer its questions, look at its changes and cancel it.
        </p>
        <p>
          Until then, let a <Link href="/background/jobs/new">routine</Link> work in the background, or say
          this in the <Link href="/chat">chat</Link> to start a child that works beside you:
        </p>
        <Code text="/fork -- compare three insurers" />
      </Empty>
    </Page>
  )
}

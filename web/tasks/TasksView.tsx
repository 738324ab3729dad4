import { Link } from 'wouter'
import { Page } from '../app/Page.tsx'
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
          Until then, start a child in the chat with <code>/fork -- compare three insurers</code>, or let a{' '}
          <Link href="/background/jobs/new">routine</Link> work in the background.
        </p>
      </Empty>
    </Page>
  )
}

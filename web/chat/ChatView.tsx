import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function ChatView() {
  return (
    <Page title="Chat">
      <Empty title="Not there yet" />
    </Page>
  )
}
